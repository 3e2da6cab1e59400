import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UserError } from "../core/errors.ts";
import { PLAN_FORMAT, PLAN_VERSION, type Plan, type PlanInput, planSchema } from "../core/plan.ts";
import type { Sharing } from "../core/sharing.ts";
import type { MessageTrigger } from "../core/trigger.ts";
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

test.each<[MessageTrigger, string, string]>([
  [
    { moment: "after", command: "SET" },
    'a trigger waits for the first SET at the moment "after", which is simulated only',
    "run the plan in simulation, or wait for before or reply",
  ],
  [{ moment: "send" }, 'at the moment "send", which is simulated only', "run the plan in simulation"],
  [
    { moment: "before", server: "node-1" },
    "a trigger waits for the first message at node-1, but the plan has no such server",
    "name one of node-0",
  ],
  [
    { moment: "reply", command: "DEL", client: 1, count: 2 },
    "a trigger waits for the 2nd DEL of client-1, but the plan has no such client",
    "name a client from 0 to 0",
  ],
])("a trigger that cannot come on containers is refused, wherever it is: %o", async (trigger, words, hint) => {
  const fit = plan("single", { kind: "single" }, "eviction", node);
  const section = { key: "k1", ttlMs: 100, waitMs: 0, tries: 1, release: true };
  const [step] = fit.faults;
  if (step === undefined) throw new Error("the plan has no fault");
  const unfit: Plan[] = [
    { ...fit, faults: [{ ...step, at: trigger }] },
    { ...fit, faults: [{ ...step, until: trigger }] },
    { ...fit, clients: [{ sections: [{ ...section, steps: [], after: trigger }] }] },
    { ...fit, clients: [{ sections: [{ ...section, steps: [{ do: "await", until: trigger, atMostMs: 1 }] }] }] },
  ];
  for (const each of unfit) {
    const refused = validatePlan(each);
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining(hint) as string });
  }
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

test("a plan is refused that shares a key in a way that its lock does not support, or in two ways", async () => {
  const sharing = (lock: string, ...ways: readonly Sharing[]): Plan => {
    const sections = ways.map((way) => ({ key: "k1", ttlMs: 100, waitMs: 0, steps: [], ...way }));
    return planSchema.parse({ ...plan(lock, { kind: "single" }, "eviction", node), clients: [{ sections }] });
  };
  await expect(validatePlan(sharing("single", { limit: 2 }))).rejects.toThrow(
    "the plan asks for `limit` or `permits`, and the lock single does not support it",
  );
  await expect(validatePlan(sharing("single", { mode: "shared" }))).rejects.toThrow("the plan asks for a `mode`");
  expect(() => sharing("single", { limit: 1, permits: 2 })).toThrow("`permits` is larger than `limit`");
  expect(() => sharing("single", { limit: 1, mode: "shared" })).toThrow("state one of the two");
});

test("a plan that gives a client several tasks is refused for a lock that does not support it", async () => {
  const tasks = (...numbers: readonly (number | undefined)[]): Plan => {
    const sections = numbers.map((task) => ({ key: "k1", ttlMs: 100, waitMs: 0, steps: [], task }));
    return planSchema.parse({ ...plan("single", { kind: "single" }, "eviction", node), clients: [{ sections }] });
  };
  await expect(validatePlan(tasks(undefined, 1))).rejects.toThrow(
    "the plan gives a client several tasks at a time, and the lock single does not support it",
  );
  await expect(validatePlan(tasks(3, 3))).resolves.toBeUndefined();
  await expect(validatePlan(tasks(0, undefined))).resolves.toBeUndefined();
});

/** A worker file for the worker for tests with this mistake. */
function workerFile(mistake: string): string {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const words = [join(import.meta.dirname, "../external/testing/worker.py"), mistake];
  const path = join(folder, "a.worker.json");
  writeFileSync(path, JSON.stringify({ command: { program: "python3", arguments: words }, topologies: ["single"] }));
  return path;
}

test.each([
  ["that says that it is one", "permits", undefined],
  ["that says nothing", "", "and the lock .* does not support it"],
])("a plan with permits is for a worker %s", async (_, mistake, refusal) => {
  const sections = [{ key: "k1", ttlMs: 100, waitMs: 0, limit: 2, steps: [] }];
  const fit = planSchema.parse({
    ...plan(workerFile(mistake), { kind: "single" }, "pause-node", node),
    clients: [{ sections }],
    faults: [],
  });
  if (refusal === undefined) await expect(validatePlan(fit)).resolves.toBeUndefined();
  else await expect(validatePlan(fit)).rejects.toThrow(new RegExp(refusal));
});
