import { describe, expect, it } from "vitest";
import { checkHistory } from "../check/check.ts";
import { Recording } from "../check/testing/recording.ts";
import { planSchema } from "../core/plan.ts";
import type { Violation } from "../core/verdict.ts";
import type { JudgedRun } from "./changed-run.ts";
import { proveCauses } from "./prove.ts";
import { provenElsewhere } from "./proven-elsewhere.ts";

const plan = planSchema.parse({
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [{ sections: [] }, { sections: [] }],
  faults: [
    { kind: "eviction", at: { atMs: 5 } },
    { kind: "clock-jump", at: { atMs: 6 } },
    { kind: "eviction", at: { atMs: 7 } },
  ],
});

/** Two leases that overlap, with these steps of the plan in between. */
function twice(backend: string, ...steps: readonly number[]): JudgedRun {
  const recording = new Recording({ clients: 2, backend }).acquire(0, 0, "a", { ttlMs: 10_000 });
  steps.forEach((step, at) => recording.fault(5 + at, plan.faults[step]?.kind ?? "", { step }));
  const { history } = recording.acquire(150, 1, "b", { ttlMs: 10_000 }).release(2000, 1, "b").release(2100, 0, "a");
  return { plan, history, verdict: checkHistory(history) };
}

const kept = (): JudgedRun => {
  const { history } = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", { ttlMs: 10_000 })
    .fail(150, 1)
    .release(2000, 0, "a")
    .acquire(2100, 1, "b");
  return { plan, history, verdict: checkHistory(history) };
};

/** What is said of a real run if its simulation breaks in the same way unless this step is left out. */
async function told(real: JudgedRun, guilty: number, ...simulated: readonly number[]): Promise<Violation | undefined> {
  const run = twice("simulated", ...simulated);
  const verdict = await proveCauses(run, ({ plan: changed }) => {
    const without = changed.faults[guilty]?.kind === "left-out";
    return Promise.resolve({ ...(without ? kept() : twice("simulated", ...simulated)), traceHash: "t" });
  });
  return provenElsewhere(real, { ...run, verdict }).properties["lease-exclusion"]?.violations[0];
}

describe("of a run on real servers", () => {
  it("the cause is the fault that is proven in simulation, though another was the better guess", async () => {
    const real = twice("containers", 0, 1);
    expect(real.verdict.properties["lease-exclusion"]?.violations[0]).toMatchObject({ cause: "clock-jump" });
    const violation = await told(real, 0, 0, 1);
    expect(violation).toMatchObject({ cause: "eviction", fault: 2, proof: { standing: "proven" } });
    expect(violation?.hypotheses?.[0]).toMatchObject({ cause: "eviction", fault: 2 });
    expect(violation?.explanation).toContain(
      "Eviction at 5 ms (event 2) removed the lock: the server ran short of memory",
    );
    expect(violation?.explanation).toContain("In simulation the same plan breaks in the same way");
  });

  it("a fault of the same kind is another fault", async () => {
    const violation = await told(twice("containers", 0), 2, 2);
    expect(violation).toMatchObject({ cause: "eviction", proof: { standing: "probable" } });
    expect(violation?.explanation).toContain("Probably: eviction at 5 ms");
  });
});
