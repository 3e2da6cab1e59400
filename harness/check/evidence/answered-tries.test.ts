import { expect, it } from "vitest";
import { OpenOperations } from "../../history/operations.ts";
import { VALID } from "../findings.ts";
import { AbandonedOperations } from "../recorders/abandoned-operations.ts";
import { Recording } from "../testing/recording.ts";
import { AnsweredTries } from "./answered-tries.ts";

/** What the tries of a history of two clients show, where no answer is known before its turn. */
function judged({ history }: Recording): string | undefined {
  const [abandoned, open, tries] = [new AbandonedOperations({ clients: 2 }), new OpenOperations(), new AnsweredTries()];
  for (const event of history.events.flatMap((recorded) => abandoned.read(recorded)))
    tries.push({ event, invocation: open.push(event), changes: [], leaseOverlaps: [] });
  return tries.orTooFew(VALID).reason;
}

it("an acquire that is granted long after its client has gone on is one try, and was answered", () => {
  const late = new Recording({ clients: 2 }).seek(0, 0).seek(10, 2).info(20, 2, "acquire").granted(9000, 0, "a");
  expect(judged(late)).toBeUndefined();
  expect(judged(late.seek(9100, 4))).toMatch(/^only 1 of 3 attempts to acquire/);
});
