import { expect, test } from "vitest";
import { checkHistory } from "../check/check.ts";
import { Recording } from "../check/testing/recording.ts";
import { planSchema } from "../core/plan.ts";
import type { Violation } from "../core/verdict.ts";
import type { History } from "../history/history.ts";
import type { JudgedRun } from "./changed-run.ts";
import { proveCauses } from "./prove.ts";

const MS = 1_000_000;
const plan = planSchema.parse({
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [{ sections: [] }, { sections: [] }],
  faults: [{ kind: "eviction", at: { atMs: 5 } }],
});

const start = (): Recording => new Recording({ clients: 2, backend: "simulated" });
const judged = (history: History): JudgedRun => ({ plan, history, verdict: checkHistory(history) });

/** The run reaches its time limit at this time, with sections undone. */
function stuckAt(atMs: number, { history }: Recording): History {
  const value = { run: "limit", at: atMs * MS, sections: { planned: 4, done: 1 } } as const;
  const index = history.events.length;
  return { ...history, end: { index, time: atMs * MS, process: "harness", type: "end", value } };
}

/** The violation of `lease-exclusion`, where the run without the eviction is this one. */
async function proven(without: History): Promise<Violation> {
  const broken = start()
    .acquire(0, 0, "a", { ttlMs: 10_000 })
    .fail(3, 1)
    .fault(5, "eviction", { step: 0 })
    .acquire(150, 1, "b", { ttlMs: 10_000 })
    .release(2000, 1, "b")
    .release(2100, 0, "a", false).history;
  const { properties } = await proveCauses(judged(broken), ({ plan: { faults } }) => {
    const isLeftOut = faults.some(({ kind }) => kind === "left-out");
    return Promise.resolve({ ...judged(isLeftOut ? without : broken), traceHash: "t" });
  });
  const violation = properties["lease-exclusion"]?.violations[0];
  if (violation === undefined) throw new Error("nothing was violated");
  return violation;
}

/** Client 1 is refused at these times, and the lock never becomes free. */
function refused(...times: readonly number[]): Recording {
  const recording = start().acquire(0, 0, "a", { ttlMs: 10_000 });
  for (const atMs of times) recording.fail(atMs, 1);
  return recording;
}

test("a run that gets stuck only after the moment of the violation proves that it is gone", async () => {
  expect(await proven(stuckAt(30_000, refused(3, 150)))).toMatchObject({
    cause: "eviction",
    proof: { standing: "proven" },
  });
});

test("a run that ends before that moment, or in which the second client does not ask as often, proves nothing", async () => {
  for (const without of [stuckAt(151, refused(3, 150)), stuckAt(30_000, refused(3))]) {
    const violation = await proven(without);
    expect(violation).toMatchObject({ cause: "eviction", proof: { standing: "probable" } });
  }
});
