import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differences } from "../../../workloads/scenario-outcome.ts";
import { UnusableClientError, UserError } from "../../core/errors.ts";
import { type Plan, type PlanInput, planSchema } from "../../core/plan.ts";
import { PROMISABLE } from "../../core/verdict.ts";
import { previousRun } from "../previous-run.ts";
import { readWire } from "../../run/wire-files.ts";
// As in the command line, the simulation has patched the platform.
import "../run-simulated.ts";
import { executorOf } from "../execute.ts";
import { runLive } from "./run-live.ts";
import { runScenario } from "../testing/scenario-live.ts";

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

const INPUT = { format: "lockstorm-plan", version: 1, seed: 1, topology: { kind: "single" }, limitMs: 10_000 };

function onePlan(faults: PlanInput["faults"], steps: readonly object[] = []) {
  const clients = [{ sections: [{ key: "k", ttlMs: 5000, waitMs: 0, steps, release: true }] }];
  return planSchema.parse({ ...INPUT, lock: "single", clients, faults });
}

/** A plan whose lock is the worker for tests with one mistake. */
function planWith(mistake: string): Plan {
  const lock = join(store, `${mistake}.worker.json`);
  const words = [fileURLToPath(new URL("../../external/testing/worker.py", import.meta.url)), mistake];
  writeFileSync(lock, JSON.stringify({ command: { program: "python3", arguments: words }, topologies: ["single"] }));
  return { ...onePlan([]), lock };
}

describe("client processes on the simulated servers", () => {
  test("a crash comes out as the catalogue says, and the run says where it ran", async () => {
    const { scenario, record, folder } = await runScenario(store, "crash-no-persist", "schedule");
    expect(differences(scenario, "schedule", record)).toEqual([]);
    expect(record.history.header).toMatchObject({ backend: "live", pace: 1 });
    expect(record.replayCommand).toBe(`npx lockstorm replay ${join(folder, "plan.json")} --backend live`);
    expect(previousRun(join(folder, "plan.json")).backend).toBe("live");
  });

  test("several tasks of a client ask at the same time, and the lock serves them", async () => {
    const task = (index: number) => ({ key: "k", ttlMs: 5000, waitMs: 5000, task: index, steps: [], release: true });
    const clients = [{ sections: [task(0), task(1)] }];
    const plan = planSchema.parse({ ...INPUT, lock: "reference", clients, faults: [] });
    const { record } = await runLive(plan, { store, title: "tasks", required: PROMISABLE });
    const asked = record.history.events.slice(0, 2).map(({ type, f, process }) => `${type} ${f} ${process}`);
    expect(asked).toEqual(["invoke acquire 0", "invoke acquire 1"]);
    const granted = record.history.events.filter(({ type, f }) => type === "ok" && f === "acquire");
    expect(new Set(granted.map(({ process }) => process))).toEqual(new Set([0, 1]));
    expect(record.verdict.verdict).toBe("valid");
  });

  test.each([
    ["abort", /^uncaughtException: Error: the worker ended: SIGABRT$/],
    ["die", /^uncaughtException: Error: the worker ended: exit code 7: the worker dies$/],
  ])("a worker in another language that ends by itself (%s) has crashed its client", async (mistake, evidence) => {
    const { record } = await runLive(planWith(mistake), { store, title: mistake, required: PROMISABLE });
    const crash = record.history.events.find(({ f }) => f === "client-crash");
    expect(crash).toMatchObject({ value: { targets: ["client-0"], evidence: expect.stringMatching(evidence) } });
    expect(crash).not.toHaveProperty("value.stack.0");
  });

  test("a worker that ends its own process group before it is ready is one line, of what to mend", async () => {
    const run = runLive(planWith("group"), { store, title: "group", required: PROMISABLE });
    await expect(run).rejects.toBeInstanceOf(UserError);
    await expect(run).rejects.toThrow("the lock of client-0 ended its process before it was ready: SIGKILL");
  });

  test("a lock that fakes timers while it is asked for ends its run, and would end any other, in one line of what to mend", async () => {
    const execute = await executorOf("live");
    const lock = fileURLToPath(new URL("../../client/testing/faking-driver.ts", import.meta.url));
    const run = execute({ ...onePlan([]), lock }, { store, title: "faking", required: PROMISABLE });
    await expect(run).rejects.toBeInstanceOf(UnusableClientError);
    await expect(run).rejects.toThrow("the lock of client-0 cannot go on: it fakes the timers of its process");
  });

  test("a worker that ends its own process group later is a client that died, and the run is judged", async () => {
    const execute = await executorOf("live");
    const { record } = await execute(planWith("late-group"), { store, title: "late", required: PROMISABLE });
    expect(record.verdict).toMatchObject({
      verdict: "unknown",
      reasons: [
        expect.stringMatching(/^the run could not go on at .*: client-0 died by itself: SIGKILL; /),
        expect.anything(),
      ],
    });
  });

  test("the wire and what servers held are recorded beside the history where it is asked for", async () => {
    const plain = await runLive(onePlan([]), { store, title: "plain", required: PROMISABLE });
    expect(plain.record.wire).toBeUndefined();
    const { record, folder } = await runLive(onePlan([]), { store, title: "wire", required: PROMISABLE, wire: true });
    const { wire } = await readWire(folder);
    expect(wire).toEqual(JSON.parse(JSON.stringify(record.wire)));
    expect(wire?.seenAt).toBeUndefined();
    const { events } = record.history;
    const [set] = (wire?.messages ?? []).filter(({ command }) => command === "SET");
    expect(set).toMatchObject({ client: 0, server: "node-0", keys: ["k"], reply: "OK" });
    expect(events[set?.operation ?? -1]).toMatchObject({ type: "invoke", f: "acquire" });
    const granted = events.find(({ f, type }) => f === "acquire" && type === "ok");
    const { sentNs = -1, reachedNs = -1, appliedNs = -1, repliedNs = -1 } = set ?? {};
    const order = [
      events[set?.operation ?? -1]?.time ?? -1,
      sentNs,
      reachedNs,
      appliedNs,
      repliedNs,
      granted?.time ?? -1,
    ];
    expect(order.toSorted((one, other) => one - other)).toEqual(order);
    const owner = granted?.f === "acquire" && granted.type === "ok" ? granted.value.owner : "";
    expect(wire?.keys.map(({ value }) => value)).toEqual([owner, undefined]);
  });

  test("a server dies after it has applied a command and before it answers: the client cannot know", async () => {
    const plan = onePlan([
      {
        kind: "kill-node",
        params: { targets: ["node-0"] },
        at: { moment: "after", command: "SET", client: 0 },
        until: { on: "acquire:info", client: 0 },
      },
    ]);
    const { record } = await runLive(plan, { store, title: "after", required: PROMISABLE });
    const { events } = record.history;
    expect(events.filter(({ f }) => f === "kill-node").map(({ value }) => value)).toMatchObject([
      { phase: "start", outcome: "installed" },
      { phase: "heal", outcome: "installed" },
    ]);
    expect(events.filter(({ f, type }) => f === "acquire" && type !== "invoke").map(({ type }) => type)).toEqual([
      "info",
    ]);
  });

  test("a command that waits before its server is applied when the fault is in force", async () => {
    const plan = onePlan([
      {
        kind: "clock-jump",
        params: { targets: ["node-0"], byMs: 60_000 },
        at: { moment: "before", command: "EVALSHA", client: 0 },
      },
    ]);
    const { record } = await runLive(plan, { store, title: "before", required: PROMISABLE });
    const released = record.history.events.find(({ f, type }) => f === "release" && type !== "invoke");
    // Its lease was over by then.
    expect(released).toMatchObject({ type: "ok", value: { released: false } });
  });

  test("a lock in another language is judged by what it promised", { tags: "long" }, async () => {
    const worker = fileURLToPath(new URL("../../external/testing/worker.py", import.meta.url));
    const lock = join(store, "long-lease.worker.json");
    const command = { program: "python3", arguments: [worker, "long-lease"] };
    writeFileSync(lock, JSON.stringify({ command, topologies: ["single"] }));
    // The lease ends at the server after 1 s, and the worker says 3.
    const rivalHolds = { do: "await", until: { on: "acquire:ok", client: 1 }, atMostMs: 10_000 };
    const holder = { key: "k", ttlMs: 1000, waitMs: 0, steps: [rivalHolds] };
    const rival = {
      key: "k",
      ttlMs: 1000,
      waitMs: 0,
      steps: [],
      after: { on: "acquire:ok", client: 0, afterMs: 1050 },
    };
    const clients = [{ sections: [holder] }, { sections: [rival] }];
    const plan = planSchema.parse({ ...INPUT, lock, clients, faults: [] });
    const { record } = await runLive(plan, { store, title: "worker", required: PROMISABLE });
    expect(record.verdict.properties["lease-exclusion"]?.verdict).toBe("invalid");
  });

  test("a moment that cannot be seen there is refused before anything starts", async () => {
    const plan = onePlan([{ kind: "kill-node", params: { targets: ["node-0"] }, at: { moment: "send", client: 0 } }]);
    await expect(runLive(plan, { store, title: "send", required: PROMISABLE })).rejects.toThrow(/send/);
  });
});
