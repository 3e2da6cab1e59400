import { beforeEach, describe, expect, test } from "vitest";
import { HarnessError, UserError } from "../core/errors.ts";
import type { Fault } from "../core/fault.ts";
import type { FaultTraits } from "../core/fault-traits.ts";
import type { FaultStep } from "../core/plan.ts";
import { EventPublisher } from "./event-publisher.ts";
import { Nemesis, readyFaults } from "./nemesis.ts";
import { Recorder } from "./recorder.ts";
import { fakeFault } from "./testing/fake-fault.ts";
import { FakeSystem } from "./testing/fake-system.ts";
import { idle } from "./testing/virtual-clock.ts";
import { TriggerBoard } from "./trigger-board.ts";

let system: FakeSystem;
let stop: AbortController;
let recorder: Recorder;
let board: TriggerBoard;
let nemesis: Nemesis;

beforeEach(() => {
  system = new FakeSystem();
  stop = new AbortController();
  recorder = new Recorder({}, () => system.clock.now());
  board = new TriggerBoard(system.clock, stop.signal);
  const processes = new Map([
    ["client-0", [0]],
    ["client-1", [3]],
  ]);
  nemesis = new Nemesis(system, new EventPublisher(recorder, board, 2), board, (client) => processes.get(client) ?? []);
});

const step = (kind: string, at: FaultStep["at"], until?: FaultStep["at"]): FaultStep => ({
  kind,
  params: {},
  at,
  ...(until === undefined ? {} : { until }),
});

/** Starts the faults; the tests of failures check the outcome. */
function start(steps: readonly FaultStep[], faults: readonly Fault[]): Promise<void> {
  const started = nemesis.start(readyFaults(steps, faults));
  started.catch(() => {});
  return started;
}

async function finish(): Promise<void> {
  stop.abort(new Error("over"));
  await system.clock.settle(nemesis.finish());
}

/** The recorded faults: kind, phase, outcome and the time in milliseconds. */
function recorded(): readonly string[] {
  return recorder.history.events.map((event) =>
    event.type === "fault" ? `${event.f} ${event.value.phase} ${event.value.outcome} at ${event.time / 1e6}` : "?",
  );
}

describe("reading a plan's faults", () => {
  test("refuses a kind that does not exist, naming those that do", () => {
    const read = () => readyFaults([step("flood", { atMs: 0 })], [fakeFault("stall"), fakeFault("reset")]);
    expect(read).toThrow(UserError);
    expect(read).toThrow('there is no fault "flood"');
    expect(read).toThrow(expect.objectContaining({ hint: "choose one of stall, reset" }));
  });

  test("refuses parameters that the fault does not take", () => {
    const bad = { ...step("stall", { atMs: 0 }), params: { targets: ["node-0"] } };
    expect(() => readyFaults([bad], [fakeFault("stall")])).toThrow(UserError);
  });
});

describe("a fault", () => {
  test("is injected and healed when its triggers say so, and recorded with what was seen", async () => {
    const stall = fakeFault("stall", { targets: ["client-1", "node-0"] });
    void start([step("stall", { on: "acquire:ok", count: 2 }, { atMs: 70 })], [stall]);
    await board.publish({ kind: "acquire:ok", client: 0 });
    await system.clock.advance(20);
    expect(recorded()).toEqual([]);
    await board.publish({ kind: "acquire:ok", client: 1 });
    expect(recorded()).toEqual(["stall start installed at 20"]);
    await system.clock.advance(100);
    await finish();
    expect(recorded()).toEqual(["stall start installed at 20", "stall heal installed at 70"]);
    expect(recorder.history.events.map((event) => event.value)).toEqual([
      {
        phase: "start",
        targets: ["client-1", "node-0"],
        outcome: "installed",
        evidence: "stall seen",
        step: 0,
        processes: [3],
      },
      {
        phase: "heal",
        targets: ["client-1", "node-0"],
        outcome: "installed",
        evidence: "stall healed",
        step: 0,
        processes: [3],
      },
    ]);
  });

  test("that sets clocks is recorded with by how much, and no other with its parameters", async () => {
    const steps = ["clock-jump", "stall"].map((kind) => ({ ...step(kind, { atMs: 0 }), params: { byMs: -500 } }));
    const fake = (kind: string, traits: FaultTraits): Fault => ({
      ...fakeFault(kind),
      traits,
      read: () => fakeFault(kind).read({}),
    });
    const faults = [
      fake("clock-jump", { duration: "instant", clock: "step" }),
      fake("stall", { duration: "lasting", messages: "holds" }),
    ];
    await system.clock.settle(start(steps, faults));
    expect(recorder.history.events.map((event) => (event.type === "fault" ? [event.f, event.value.byMs] : []))).toEqual(
      [
        ["clock-jump", -500],
        ["stall", undefined],
      ],
    );
  });

  test("that hits no client names no processes", async () => {
    void start([step("stall", { atMs: 0 })], [fakeFault("stall")]);
    await system.clock.advance(0);
    expect(recorder.history.events[0]?.value).not.toHaveProperty("processes");
  });

  test("holds up the publisher of its event until it is in force", async () => {
    void start([step("stall", { on: "acquire:ok" })], [fakeFault("stall", { injectionMs: 40 })]);
    await system.clock.settle(board.publish({ kind: "acquire:ok", client: 0 }));
    expect(system.clock.nowMs).toBe(40);
    expect(recorded()).toEqual(["stall start installed at 40"]);
  });

  test("is not healed before it is injected, although its healing is due first", async () => {
    void start([step("stall", { atMs: 50 }, { atMs: 10 })], [fakeFault("stall", { injectionMs: 30 })]);
    await system.clock.advance(200);
    expect(recorded()).toEqual(["stall start installed at 80", "stall heal installed at 80"]);
  });

  test("that is over as soon as it happened is not healed", async () => {
    void start([step("reset", { atMs: 5 }, { atMs: 10 })], [fakeFault("reset", { heals: false })]);
    await system.clock.advance(20);
    await finish();
    expect(recorded()).toEqual(["reset start installed at 5"]);
  });

  test("that was skipped is not healed; one whose effect was not seen is", async () => {
    const faults = [fakeFault("stall", { outcome: "skipped" }), fakeFault("latency", { outcome: "indeterminate" })];
    void start([step("stall", { atMs: 5 }, { atMs: 10 }), step("latency", { atMs: 6 }, { atMs: 10 })], faults);
    await system.clock.advance(20);
    await finish();
    expect(recorded()).toEqual([
      "stall start skipped at 5",
      "latency start indeterminate at 6",
      "latency heal installed at 10",
    ]);
  });

  test("can hang on another fault of the plan, by its number", async () => {
    void start(
      [step("stall", { atMs: 5 }, { atMs: 40 }), step("stall", { on: "fault:heal", fault: 0 })],
      [fakeFault("stall")],
    );
    await system.clock.advance(100);
    expect(recorded()).toEqual([
      "stall start installed at 5",
      "stall heal installed at 40",
      "stall start installed at 40",
    ]);
  });
});

describe("the end of the run", () => {
  test("heals what is in force, newest first", async () => {
    void start(
      [step("stall", { atMs: 9 }), step("latency", { atMs: 3 }), step("pause", { atMs: 6 })],
      [fakeFault("stall"), fakeFault("latency"), fakeFault("pause")],
    );
    await system.clock.advance(10);
    await finish();
    expect(recorded().slice(3)).toEqual([
      "stall heal installed at 10",
      "pause heal installed at 10",
      "latency heal installed at 10",
    ]);
  });

  test("records as skipped what never came, and does not inject it", async () => {
    let injected = 0;
    const stall = fakeFault("stall", { onInject: () => (injected += 1) });
    void start([step("stall", { on: "write:ok" }), step("stall", { atMs: 500 }, { atMs: 600 })], [stall]);
    await system.clock.advance(10);
    await finish();
    await system.clock.advance(1000);
    expect(injected).toBe(0);
    expect(recorded()).toEqual(["stall start skipped at 10", "stall start skipped at 10"]);
  });

  test("waits for an injection that has begun, and heals it", async () => {
    void start([step("stall", { atMs: 5 })], [fakeFault("stall", { injectionMs: 50 })]);
    await system.clock.advance(10);
    await finish();
    expect(recorded()).toEqual(["stall start installed at 55", "stall heal installed at 55"]);
  });

  test("heals nothing twice", async () => {
    let healed = 0;
    void start([step("stall", { atMs: 5 }, { atMs: 10 })], [fakeFault("stall", { onHeal: () => (healed += 1) })]);
    await system.clock.advance(10);
    await finish();
    expect(healed).toBe(1);
  });
});

describe("a harness that cannot", () => {
  const broken = (): never => {
    throw new HarnessError("the engine is gone");
  };

  test("inject says so", async () => {
    const started = start([step("stall", { atMs: 5 })], [fakeFault("stall", { onInject: broken })]);
    await expect(system.clock.settle(started)).rejects.toThrow("the engine is gone");
  });

  test("heal says so", async () => {
    const started = start([step("stall", { atMs: 5 }, { atMs: 9 })], [fakeFault("stall", { onHeal: broken })]);
    await expect(system.clock.settle(started)).rejects.toThrow("the engine is gone");
  });

  test("finish an injection at the end of the run says so too", async () => {
    const stall = fakeFault("stall", { injectionMs: 50 });
    const late: Fault = {
      ...stall,
      read: (params) => async (system) => {
        await stall.read(params)(system);
        return broken();
      },
    };
    void start([step("stall", { atMs: 5 })], [late]);
    await system.clock.advance(10);
    await expect(finish()).rejects.toThrow("the engine is gone");
  });

  test("heal at the end of the run says so too", async () => {
    void start([step("stall", { atMs: 5 })], [fakeFault("stall", { onHeal: broken })]);
    await system.clock.advance(10);
    await idle();
    await expect(finish()).rejects.toThrow("the engine is gone");
  });
});
