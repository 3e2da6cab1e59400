// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
// Before anything of the containers: the simulation patches the platform before libraries keep any of it.
import { runSimulated } from "../../campaign/run-simulated.ts";
import { runOnContainers } from "../../campaign/run-on-containers.ts";
import { type Plan, type PlanInput, planSchema } from "../../core/plan.ts";
import type { History } from "../../history/history.ts";
import { ContainerPool } from "../container-pool.ts";
import { describeWithEngine } from "../testing/engine-required.ts";

let store: string;
let pool: ContainerPool;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  pool = new ContainerPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  rmSync(store, { recursive: true });
});

/** Clients of these locks wait for seconds for an answer, regardless of the machine's load. */
const LOCKS = { single: "get-del", redlock: "validity-after-replies" } as const;

const LINK = { between: [["client-0"], ["node-0"]] };
/** Faults by their kind, with whether they are healed. */
const FAULTS = {
  stall: { params: LINK, heals: true },
  reset: { params: LINK, heals: false },
  "kill-node": { params: { targets: ["node-0"] }, heals: true },
  "pause-client": { params: { targets: ["client-0"] }, heals: true },
} as const;
type Kind = keyof typeof FAULTS;

/** One client that takes the lock, with a fault at its first SET at node-0. */
function planOf(topology: keyof typeof LOCKS, moment: "before" | "reply" | "after" | "send", kind: Kind): Plan {
  const at = { moment, command: "SET", client: 0, server: "node-0" } as const;
  const { params, heals } = FAULTS[kind];
  const fault: PlanInput["faults"][number] = {
    kind,
    params,
    at,
    ...(heals ? { until: { ...at, afterMs: 1500 } } : {}),
  };
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 5,
    lock: LOCKS[topology],
    topology: { kind: topology },
    clients: [{ sections: [{ key: "k1", ttlMs: 60_000, waitMs: 0, steps: [] }] }],
    faults: [fault],
    limitMs: 60_000,
  });
}

/**
 * What happened, in order. A healed network lets bytes pass before the harness has seen that it does, so that heals stand
 * apart; and how soon a client notices that its server is gone decides whether it sends its release, so that `info` and
 * `fail` of a release are the same here. A busy machine may stop the harness for a while, which it then notes.
 */
function order({ events }: History): { readonly order: readonly string[]; readonly heals: readonly string[] } {
  const happened = events.filter(({ type }) => type !== "notice");
  const lines = happened.map((event) => {
    const { process, f, type } = event;
    if (event.type === "fault") return `${process} ${f} ${event.value.phase} ${event.value.outcome}`;
    const end = f === "release" && (type === "info" || type === "fail") ? "not ok" : type;
    return `${process} ${f} ${end}`;
  });
  const [heals, rest] = [
    lines.filter((line) => line.includes(" heal ")),
    lines.filter((line) => !line.includes(" heal ")),
  ];
  return { order: rest, heals };
}

describeWithEngine("a fault at a moment of a message on real servers", () => {
  test.for(
    (["single", "redlock"] as const).flatMap((topology) =>
      (["before", "reply"] as const).flatMap((moment) =>
        (Object.keys(FAULTS) as Kind[]).map((kind) => [topology, moment, kind] as const),
      ),
    ),
  )("%s: at %s, %s: the same happens in the same order as in simulation", async ([topology, moment, kind]) => {
    const plan = planOf(topology, moment, kind);
    const simulated = await runSimulated(plan, { title: "", required: [] });
    const { record } = await runOnContainers(plan, { store, title: "test", required: [], pool });
    expect(order(record.history)).toEqual(order(simulated.record.history));
  });

  test.each(["send", "after"] as const)("the moment %s is refused before anything starts", async (moment) => {
    await expect(
      runOnContainers(planOf("single", moment, "reset"), { store, title: "test", required: [], pool }),
    ).rejects.toThrow(`at the moment "${moment}", which is simulated only`);
  });
});
