import { describe, expect, it } from "vitest";
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { type PlanInput, planSchema } from "../core/plan.ts";
import type { Violation } from "../core/verdict.ts";

type Section = PlanInput["clients"][number]["sections"][number];

const section = (forMs: number, more: Partial<Section> = {}): Section => ({
  key: "k1",
  ttlMs: 3000,
  waitMs: 0,
  steps: [{ do: "hold", forMs }],
  ...more,
});

/** The overlaps of leases after the server's clock jumped over the lease of whoever had been granted the lock by then. */
async function overlapsOf(
  lock: string,
  clients: PlanInput["clients"],
  jumpAtMs: number,
): Promise<readonly Violation[]> {
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 2147483622,
    lock,
    topology: { kind: "single" },
    clients,
    faults: [{ kind: "clock-jump", params: { targets: ["node-0"], byMs: 3001 }, at: { atMs: jumpAtMs } }],
  });
  const run = await proveSimulated(await runSimulated(plan, { title: "", required: ["lease-exclusion"] }));
  return run.record.verdict.properties["lease-exclusion"]?.violations ?? [];
}

describe("a release after the lock was granted to two that asked at the same time", () => {
  it("is no cause if its owner had been granted the lock last", async () => {
    const violations = await overlapsOf(
      "single",
      [{ sections: [section(900)] }, { sections: [section(12), section(10)] }],
      0.2,
    );
    expect(violations.map(({ cause, proof }) => [cause, proof?.standing])).toEqual([
      ["clock-jump", "proven"],
      ["clock-jump", "proven"],
    ]);
    expect(violations[1]?.proof?.dropped?.map(({ cause }) => cause)).toEqual(["foreign-release"]);
  });

  it("is the cause if it took what the other had been granted", async () => {
    const violations = await overlapsOf(
      "set-px",
      [
        { sections: [section(600)] },
        { sections: [section(900, { waitMs: 2000 })] },
        { sections: [section(100, { waitMs: 2000, after: { on: "release:invoke", client: 0 } })] },
      ],
      200,
    );
    expect(violations.map(({ cause, proof }) => [cause, proof?.standing])).toEqual([
      ["clock-jump", "proven"],
      ["foreign-release", "proven"],
    ]);
  });
});
