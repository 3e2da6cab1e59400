import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { SharedEvidence } from "../evidence/evidence.ts";
import { Recording } from "../testing/recording.ts";

/** In a recording of another program client 0 may have drawn a value that nobody was told when its second acquire was not answered. */
function missed(ttlMs: number): Recording {
  const recording = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs });
  return recording.seek(5, 0, { ttlMs: 100_000 }).info(6, 0, "acquire").release(500, 2, "a", false);
}

const linearizability = ({ history }: Recording): string =>
  checkHistory(history, { foreign: true }).properties.linearizability!.verdict;

it("a release that found nothing may concern a hold that goes on under another owner value", () => {
  expect(linearizability(missed(100_000))).toBe("valid");
});

it("but explains nothing of a hold that begins later", () => {
  const later = missed(10).acquire(600, 2, "a", { ttlMs: 100_000 });
  expect(linearizability(later)).toBe("valid");
  expect(linearizability(later.acquire(700, 1, "b", { ttlMs: 100_000 }))).toBe("invalid");
});

it("and nothing of the time before its hold", () => {
  const { history } = missed(10).acquire(600, 2, "a", { ttlMs: 100_000 }).release(700, 2, "a", false);
  const evidence = new SharedEvidence(history.header, true);
  const losses = history.events.flatMap((event) => evidence.push(evidence.read(event)).loss ?? []);
  expect(losses).toMatchObject([
    { index: 2, time: 5e6, until: 5 },
    { index: 6, until: 9 },
  ]);
});
