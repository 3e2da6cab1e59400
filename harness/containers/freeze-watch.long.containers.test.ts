// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { faults } from "../../faults/registry.ts";
import { checkHistory } from "../check/check.ts";
import type { NoticeEvent } from "../history/history.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type PlanInput } from "../core/plan.ts";
import { runPlan } from "../run/run-plan.ts";
import { type ContainerSystem, startContainerSystem } from "./container-system.ts";
import { connectEngine } from "./engine/engine.ts";
import { describeWithEngine } from "./testing/engine-required.ts";
import { RUN_LABEL } from "./cleanup/labels.ts";
import { RunScope } from "./cleanup/run-scope.ts";
import { nodeOf } from "./testing/servers.ts";

const HELD_MS = 2_500;

let logFolder: string;
beforeEach(() => {
  logFolder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(logFolder, { recursive: true });
});

/** Client 0 holds for some seconds, and client 1 finds the lock taken. */
function plan(faults: PlanInput["faults"] = []) {
  const section = { key: "k", ttlMs: 20_000, waitMs: 0 };
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients: [
      { sections: [{ ...section, steps: [{ do: "hold", forMs: HELD_MS }] }] },
      { sections: [{ ...section, steps: [], after: { on: "acquire:ok", client: 0 } }] },
    ],
    faults,
    limitMs: 20_000,
  });
}

async function toxiproxyOf(runId: string): Promise<string> {
  const engine = await connectEngine();
  const all = await engine.listContainers({ filters: { label: [`${RUN_LABEL}=${runId}`] } });
  return all.find(({ Image }) => Image.includes("toxiproxy"))?.Id ?? "";
}

/** Runs the plan; while client 0 holds, it calls `disturb` with the system. */
async function run(input: ReturnType<typeof plan>, disturb: (system: ContainerSystem, runId: string) => Promise<void>) {
  const opened = vi.spyOn(RunScope, "open");
  const system = await startContainerSystem(input, { logFolder });
  onTestFinished(() => system[Symbol.asyncDispose]());
  const held = Promise.withResolvers<void>();
  const running = runPlan({
    plan: input,
    system,
    faults,
    sink: (line) => {
      if (line.includes('"type":"fail","f":"acquire"')) held.resolve();
    },
  });
  await held.promise;
  await disturb(system, (await opened.mock.results[0]?.value)?.runId ?? "");
  const { history, end } = await running;
  const notices = history.events.filter((event): event is NoticeEvent => event.type === "notice");
  return { end, notices, verdict: checkHistory(history, { required: ["mutual-exclusion"] }) };
}

function pidOf(system: ContainerSystem): number {
  const pid = system.clients[0]?.pid;
  if (pid === undefined) throw new Error("the client has no process");
  return pid;
}

describeWithEngine("what freezes by no fault's doing", () => {
  test("nothing does in a run that nobody disturbs", async () => {
    const { end, notices, verdict } = await run(plan(), () => Promise.resolve());
    expect([end, notices, verdict.verdict, verdict.reasons]).toEqual(["completed", [], "valid", []]);
  });

  test("a pause that the plan asks for is explained", async () => {
    const pause = (kind: string, target: string): PlanInput["faults"][number] => ({
      kind,
      params: { targets: [target] },
      at: { on: "acquire:fail" },
      until: { on: "acquire:fail", afterMs: 600 },
    });
    const input = plan([pause("pause-node", "node-0"), pause("pause-client", "client-0")]);
    const { end, notices, verdict } = await run(input, () => Promise.resolve());
    expect([end, notices, verdict.verdict, verdict.reasons]).toEqual(["completed", [], "valid", []]);
  });

  test.each(["node-0", "Toxiproxy"])("a container that somebody pauses is noticed: %s", async (name) => {
    const { notices, verdict } = await run(plan(), async (system, runId) => {
      const engine = await connectEngine();
      const id = name === "node-0" ? nodeOf(system, name).containerId : await toxiproxyOf(runId);
      await engine.getContainer(id).pause();
      await sleep(700);
      await engine.getContainer(id).unpause();
    });
    expect(notices).toHaveLength(1);
    const { targets, from, to, evidence } = notices[0]?.value ?? { targets: [], from: 0, to: 0 };
    expect(targets).toEqual([name]);
    expect(evidence).toBe("somebody paused its container");
    expect(to - from).toBeGreaterThan(500e6);
    expect(verdict.verdict).toBe("unknown");
    expect(verdict.reasons[0]).toMatch(/did not run from .* ms to .* ms, and no fault of the plan explains it/);
  });

  test("a client that somebody stops is noticed, also when it does not go on", async () => {
    const { end, notices, verdict } = await run({ ...plan(), limitMs: 4_000 }, (system) => {
      process.kill(pidOf(system), "SIGSTOP");
      return Promise.resolve();
    });
    expect(end).toBe("limit");
    expect(notices.map(({ value }) => [value.targets, value.lasts, value.processes])).toEqual([
      [["client-0"], true, [0]],
    ]);
    expect(verdict.verdict).toBe("unknown");
    expect(verdict.reasons.join()).toMatch(/client-0 did not run from .* ms to the end of the run/);
  });

  test("a server that somebody stops is noticed", async () => {
    const { notices, verdict } = await run(plan(), async (system) => {
      const engine = await connectEngine();
      const { State } = await engine.getContainer(nodeOf(system, "node-0").containerId).inspect();
      process.kill(State.Pid, "SIGSTOP");
      await sleep(700);
      process.kill(State.Pid, "SIGCONT");
    });
    expect(notices.map(({ value }) => value.evidence)).toEqual([expect.stringMatching(/its process \d+ is stopped$/)]);
    expect(verdict.verdict).toBe("unknown");
  });
});
