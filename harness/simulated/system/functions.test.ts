import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { planSchema, type Plan, type PlanInput } from "../../core/plan.ts";
import { judge, runSimulated } from "./testing/simulated-run.ts";

const lock = fileURLToPath(new URL("testing/function-lock.ts", import.meta.url));

function planFor(
  seed: number,
  kind: "single" | "sentinel",
  clients: PlanInput["clients"],
  faults: PlanInput["faults"] = [],
): Plan {
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed,
    lock,
    topology: { kind },
    clients,
    faults,
    limitMs: 30_000,
  });
}

const section: PlanInput["clients"][number]["sections"][number] = {
  key: "k1",
  ttlMs: 1000,
  waitMs: 3000,
  steps: [{ do: "hold", forMs: 30 }],
};

describe("a lock that is made of functions", () => {
  test.each([1, 2, 3, 4, 5, 6])("excludes and is granted to all, with ioredis as it is: seed %i", async (seed) => {
    const clients = Array.from({ length: 3 }, () => ({ sections: [section, section, section] }));
    const run = await runSimulated(planFor(seed, "single", clients), { checkDescent: true });
    expect(judge(run, ["mutual-exclusion", "deadlock-freedom"]).verdict).toBe("valid");
    const done = run.history.events.filter(({ type, f }) => type === "ok" && (f === "acquire" || f === "release"));
    expect(done).toHaveLength(18);
    const again = await runSimulated(planFor(seed, "single", clients));
    expect(again.traceHash).toBe(run.traceHash);
  });

  test("works on behind Sentinels after a failover: the promoted replica has the functions", async () => {
    const later: typeof section = { ...section, after: { on: "promotion", afterMs: 3000 } };
    const plan = planFor(
      1,
      "sentinel",
      [{ sections: [section, later] }],
      [{ kind: "failover", params: {}, at: { on: "acquire:ok", client: 0 } }],
    );
    const { history } = await runSimulated(plan);
    const granted = history.events.filter(({ type, f }) => type === "ok" && f === "acquire");
    const promoted = history.events.find(({ f }) => f === "promotion");
    expect(promoted).toBeDefined();
    expect(granted).toHaveLength(2);
    expect(granted[1]?.time).toBeGreaterThan(promoted?.time ?? Infinity);
  });
});
