import { expect, test } from "vitest";
import { HarnessError } from "../../core/errors.ts";
import { planSchema } from "../../core/plan.ts";
import type { ExecutedRun } from "../execute.ts";
import type { KeptRun } from "../kept-run.ts";
import { FailedRunError } from "./failed-run.ts";
import { goingOn } from "./going-on.ts";

const plan = planSchema.parse({
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [{ sections: [] }],
  faults: [],
  limitMs: 1000,
});

/** A run that nobody looks into. */
function keptRun(title: string): KeptRun {
  const history = { header: { format: "lockstorm-history", version: 2 }, events: [] } as const;
  const verdict = { verdict: "unknown", required: [], properties: {}, reasons: [], remarks: [] } as const;
  return { record: { plan, history, verdict, title, replayCommand: "" }, folder: title };
}

/** Runs a plan as often as there are outcomes, in a campaign. */
function campaign(...outcomes: readonly (ExecutedRun | Error)[]) {
  const left = [...outcomes];
  const notes: string[] = [];
  const execute = goingOn(async () => {
    const outcome = left.shift() ?? expect.unreachable();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  const progress = { step: () => {}, note: (line: string) => void notes.push(line) };
  return { notes, next: () => execute(plan, { title: "t", required: [], progress }) };
}

const done: ExecutedRun = { record: keptRun("done").record, keep: () => keptRun("done") };
const failure = (title: string): FailedRunError => new FailedRunError(`the proxy died: ${title}`, keptRun(title));

test("a run whose system failed is taken for what its history shows, and the campaign goes on", async () => {
  const { next, notes } = campaign(done, failure("one"), failure("two"), done, failure("three"), failure("four"));
  expect(await next()).toBe(done);
  const one = await next();
  expect([one.record.title, one.keep().folder]).toEqual(["one", "one"]);
  // A violation that it recorded is proven, and a run that is not wanted deleted, as of any other run.
  expect(one).toMatchObject({ prove: expect.any(Function) as unknown, discard: expect.any(Function) as unknown });
  expect((await next()).record.title).toBe("two");
  expect(await next()).toBe(done);
  expect((await next()).record.title).toBe("three");
  expect((await next()).record.title).toBe("four");
  expect(notes[0]).toBe("a run failed, and the next one begins: the proxy died: one");
});

test("three failures in a row end it", async () => {
  const third = failure("three");
  const { next } = campaign(failure("one"), failure("two"), third);
  await next();
  await next();
  await expect(next()).rejects.toBe(third);
});

test("so does at once what keeps other runs from beginning", async () => {
  const gone = new HarnessError("the container engine is gone");
  await expect(campaign(gone).next()).rejects.toBe(gone);
});
