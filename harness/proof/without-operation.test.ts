import { expect, it } from "vitest";
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { type PlanInput, planSchema } from "../core/plan.ts";
import type { Violation } from "../core/verdict.ts";

type Fault = NonNullable<PlanInput["faults"]>[number];

/** The overlaps of a lock whose release is GET, then DEL: client-1's hold ends early if client-0's DEL comes late. */
async function overlapOf(fault: Fault, ttlMs = 1000): Promise<Violation | undefined> {
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "get-del",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs, waitMs: 0, steps: [{ do: "hold", forMs: 900 }] }] },
      {
        sections: [{ key: "k1", ttlMs: 3000, waitMs: 400, after: { atMs: 1050 }, steps: [{ do: "hold", forMs: 900 }] }],
      },
      {
        sections: [{ key: "k1", ttlMs: 3000, waitMs: 400, after: { atMs: 1400 }, steps: [{ do: "hold", forMs: 900 }] }],
      },
    ],
    faults: [fault],
  });
  const run = await proveSimulated(await runSimulated(plan, { title: "", required: ["lease-exclusion"] }));
  return run.record.verdict.properties["lease-exclusion"]?.violations[0];
}

it("proves a release that is a cause only together with a fault at one of its own messages", async () => {
  const violation = await overlapOf({
    kind: "pause-node",
    params: { targets: ["node-0"] },
    at: { moment: "after", command: "GET", client: 0 },
    until: { moment: "after", command: "GET", client: 0, afterMs: 200 },
  });
  expect(violation).toMatchObject({ cause: "foreign-release", proof: { standing: "proven" } });
  expect(violation?.proof?.run?.change).toMatchObject({ kind: "without-operation", timed: [{ step: 0 }] });
  expect(violation?.explanation).toMatch(
    /Without that operation, and with pause-node of node-0 at [^)]+\) as it was, the same schedule does not break/,
  );
});

it("accuses no release beside which such a fault is enough", async () => {
  const violation = await overlapOf({
    kind: "eviction",
    params: { targets: ["node-0"] },
    at: { moment: "after", command: "GET", client: 0, afterMs: 600 },
  });
  expect(violation).toMatchObject({ cause: "eviction", proof: { standing: "proven" } });
});
