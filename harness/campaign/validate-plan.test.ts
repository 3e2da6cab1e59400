import { expect, test } from "vitest";
import { UserError } from "../core/errors.ts";
import { PLAN_FORMAT, PLAN_VERSION, type Plan, type PlanInput, planSchema } from "../core/plan.ts";
import { validatePlan } from "./validate-plan.ts";

function plan(lock: string, topology: PlanInput["topology"], kind: string, params: Record<string, unknown>): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock,
    topology,
    clients: [{ sections: [] }],
    faults: [{ kind, params, at: { atMs: 0 } }],
  });
}

const node = { targets: ["node-0"] };
const postgres = { kind: "postgres" } as const;

test.each([
  [plan("sql-version", postgres, "clock-jump", { ...node, byMs: 1000 })],
  [plan("sql-version", postgres, "restart-node", { ...node, keepData: false })],
  [plan("sql-for-update", { ...postgres, persistence: "always" }, "power-loss", node)],
  [plan("single", { kind: "single" }, "eviction", node)],
])("a plan whose fault can happen is fit", async (fit) => {
  await expect(validatePlan(fit)).resolves.toBeUndefined();
});

test.each([
  [plan("sql-version", postgres, "eviction", node), "the fault eviction cannot happen on postgres: only Redis"],
  [plan("sql-version", postgres, "failover", {}), "the fault failover cannot happen on postgres: it has no replicas"],
  [plan("sql-version", postgres, "clock-rate", { ...node, rate: 2 }), "the fault clock-rate cannot happen on postgres"],
  [
    plan("sql-version", { ...postgres, persistence: "everysec" }, "power-loss", node),
    "it is unknown outside the server which data it has synced",
  ],
  [plan("sql-version", { kind: "single" }, "pause-node", node), "the lock sql-version does not run on the topology"],
  [plan("single", postgres, "pause-node", node), "the lock single does not run on the topology postgres"],
  [plan("sql-version", postgres, "pause-node", { targets: ["sentinel-0"] }), 'cannot hit "sentinel-0"'],
])("a plan whose fault or lock cannot be there is refused in one line", async (unfit, words) => {
  const refused = validatePlan(unfit);
  await expect(refused).rejects.toBeInstanceOf(UserError);
  await expect(refused).rejects.toThrow(words);
});
