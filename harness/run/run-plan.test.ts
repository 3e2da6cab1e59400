import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { HarnessError, UserError } from "../core/errors.ts";
import { parseHistory } from "../history/history-reader.ts";
import type { History, HistoryEvent, RunEnd } from "../history/history.ts";
import type { Plan } from "../core/plan.ts";
import type { AuditEntry } from "../core/system.ts";
import { runPlan, type RunOptions } from "./run-plan.ts";
import { fakeFault } from "./testing/fake-fault.ts";
import { FakeSystem } from "./testing/fake-system.ts";
import { plan, section } from "./testing/plans.ts";
import { idle } from "./testing/virtual-clock.ts";

interface Ran {
  readonly history: History;
  readonly end: RunEnd;
}

/** A plan that runs on a system of its own. */
class RunFixture {
  readonly system = new FakeSystem();
  readonly lines: string[] = [];
  readonly run: Promise<Ran>;

  constructor(plan: Plan, options: Partial<RunOptions> = {}) {
    const sink = (line: string): void => void this.lines.push(line);
    this.run = runPlan({ plan, system: this.system, faults: [], sink, ...options });
    this.run.catch(() => {});
  }

  /** Lets time pass until the run is over. */
  settle(): Promise<Ran> {
    return this.system.clock.settle(this.run);
  }

  /** What was written so far. */
  get written(): History {
    return parseHistory(this.lines.join(""), "the sink");
  }
}

const short = ({ process, f, type }: HistoryEvent): string => `${process} ${f}:${type}`;
const holder = section({ steps: [{ do: "hold", forMs: 5000 }], ttlMs: 60_000 });

describe("a run", () => {
  test("is completed when all clients came to their end", async () => {
    const fixture = new RunFixture(plan({ clients: [section({ steps: [{ do: "write" }] }), { sections: [] }] }));
    const { history, end } = await fixture.settle();
    expect(end).toBe("completed");
    expect(history.events.map(short)).toEqual([
      "0 acquire:invoke",
      "0 acquire:ok",
      "0 write:invoke",
      "storage write:audit",
      "0 write:ok",
      "0 release:invoke",
      "0 release:ok",
    ]);
    expect(history.header).toEqual({
      format: "lockstorm-history",
      version: 2,
      clients: 2,
      lock: "fake",
      seed: 1,
      topology: "single",
    });
    expect(fixture.written).toEqual(history);
    expect(fixture.system.clock.sleepers).toBe(0);
  });

  test("writes into the first line how many tasks each client has, where one has several", async () => {
    const section = { key: "k", ttlMs: 100, waitMs: 0, steps: [] };
    const clients = [{ sections: [section, { ...section, task: 1 }] }, { sections: [section] }];
    const fixture = new RunFixture(plan({ clients }));
    fixture.system.client(0).mostAtOnce = 2;
    const { history } = await fixture.settle();
    expect(history.header).toMatchObject({ clients: 2, tasks: [2, 1] });
  });

  test("writes further facts into the first line", async () => {
    const { history } = await new RunFixture(plan(), { facts: { backend: "fake" } }).settle();
    expect(history.header).toMatchObject({ backend: "fake", clients: 2 });
  });

  test("ends at the plan's limit, with what was still open left open", async () => {
    const fixture = new RunFixture(plan({ clients: [holder, section({ waitMs: 90_000 })], limitMs: 100 }));
    const { history, end } = await fixture.settle();
    expect(end).toBe("limit");
    expect(fixture.system.clock.nowMs).toBe(100);
    expect(history.events.map(short)).toEqual(["0 acquire:invoke", "1 acquire:invoke", "0 acquire:ok"]);
    expect(history.end).toMatchObject({
      index: 3,
      process: "harness",
      type: "end",
      value: { run: "limit", at: 100e6, sections: { planned: 2, done: 0 } },
    });
  });

  test("counts the critical sections that came to their end, granted or not, in the last line", async () => {
    const three = { sections: [...section({}).sections, ...section({}).sections, ...section({}).sections] };
    const fixture = new RunFixture(plan({ clients: [three, holder], limitMs: 2000 }));
    fixture.system.answer = (client) =>
      client === "client-0" ? { ok: false, kind: "contended", reason: "held" } : undefined;
    const { history } = await fixture.settle();
    expect(history.end?.value).toMatchObject({ run: "limit", sections: { planned: 4, done: 3 } });
    expect(JSON.parse(fixture.lines.at(-1) ?? "")).toEqual(history.end);
  });

  test("does not count the section in which a client died", async () => {
    const fixture = new RunFixture(
      plan({ clients: [holder, { sections: [] }], faults: [{ kind: "kill-client", at: { on: "acquire:ok" } }] }),
      { faults: [fakeFault("kill-client", { onInject: (system) => void system.clients[0]?.kill() })] },
    );
    const { history, end } = await fixture.settle();
    expect(end).toBe("completed");
    expect(history.end?.value.sections).toEqual({ planned: 1, done: 0 });
  });

  test("ends early when its signal says so, and then listens no more", async () => {
    const interrupt = new AbortController();
    const fixture = new RunFixture(plan({ clients: [holder, holder] }), { signal: interrupt.signal });
    await fixture.system.clock.advance(50);
    interrupt.abort(new Error("Ctrl-C"));
    const { history, end } = await fixture.settle();
    expect(end).toBe("interrupted");
    expect(history.events).toHaveLength(4);
    expect(history.end?.value).toMatchObject({ run: "interrupted", at: 50e6, sections: { planned: 2, done: 1 } });
  });

  test("listens to the signal of many runs only as long as it runs", async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 3; count += 1) await new RunFixture(plan(), { signal }).settle();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("whose signal was aborted before does not begin", async () => {
    const fixture = new RunFixture(plan({ clients: [holder, holder] }), { signal: AbortSignal.abort() });
    expect((await fixture.settle()).end).toBe("interrupted");
  });

  test("heals its faults before it is over", async () => {
    const stall = fakeFault("stall", { targets: ["client-1"] });
    const fixture = new RunFixture(plan({ faults: [{ kind: "stall", at: { on: "acquire:ok", client: 0 } }] }), {
      faults: [stall],
    });
    const { history } = await fixture.settle();
    const faults = history.events.filter(({ type }) => type === "fault");
    expect(faults.map(({ value }) => value)).toMatchObject([
      { phase: "start", processes: [1] },
      { phase: "heal", processes: [1] },
    ]);
    expect(history.events.indexOf(faults[0] as HistoryEvent)).toBe(
      history.events.findIndex(({ f, type }) => f === "acquire" && type === "ok") + 1,
    );
  });

  test("names the process under which the client then acts as hit by a fault", async () => {
    const fixture = new RunFixture(
      plan({
        clients: [section({ steps: [{ do: "write" }] }), { sections: [] }],
        faults: [{ kind: "stall", at: { on: "release:invoke" } }],
      }),
      { faults: [fakeFault("stall", { targets: ["client-0"] })] },
    );
    fixture.system.answer = (_, { op }) =>
      op === "write" ? { ok: false, kind: "indeterminate", reason: "?" } : undefined;
    const { history } = await fixture.settle();
    expect(history.events.find(({ type }) => type === "fault")?.value).toMatchObject({ processes: [2] });
  });

  test("takes in what the resource audits while it is drained, and nothing afterwards", async () => {
    const audits: ((entry: AuditEntry) => void)[] = [];
    const system = new FakeSystem({ clients: 1 });
    Object.assign(system.resource, {
      onAudit: (listener: (entry: AuditEntry) => void) => audits.push(listener),
      drain: async () => {
        await system.clock.sleep(30);
        audits[0]?.({ key: "k1", position: 1, data: "late", accepted: true });
      },
    });
    const run = runPlan({ plan: plan({ clients: [{ sections: [] }] }), system, faults: [] });
    const { history } = await system.clock.settle(run);
    audits[0]?.({ key: "k1", position: 2, data: "too late", accepted: true });
    expect(history.events.map(({ value }) => value)).toEqual([{ position: 1, data: "late", accepted: true }]);
  });

  test("records a promotion that the system noticed, and tells the triggers", async () => {
    const fixture = new RunFixture(plan({ clients: [section({ after: { on: "promotion" } }), { sections: [] }] }));
    await fixture.system.clock.advance(10);
    fixture.system.notice({ kind: "promotion", node: "node-1", evidence: "a Sentinel said so" });
    const { history } = await fixture.settle();
    expect(history.events.map(short)).toEqual([
      "nemesis promotion:fault",
      "0 acquire:invoke",
      "0 acquire:ok",
      "0 release:invoke",
      "0 release:ok",
    ]);
    expect(history.events[0]).toMatchObject({
      time: 10e6,
      value: { phase: "start", targets: ["node-1"], outcome: "installed", evidence: "a Sentinel said so" },
    });
  });

  test("records what froze without a fault of the plan, and what is frozen when it ends", async () => {
    const fixture = new RunFixture(
      plan({ clients: [section({ steps: [{ do: "hold", forMs: 20 }] }), { sections: [] }] }),
    );
    const froze = { kind: "froze", evidence: "somebody paused it" } as const;
    await fixture.system.clock.advance(10);
    fixture.system.notice({ ...froze, name: "client-0", from: 2e6, to: 9e6, lasts: false });
    // A frozen resource answers nobody.
    Object.assign(fixture.system, {
      endWatch: () => fixture.system.notice({ ...froze, name: "resource", from: 12e6, to: 23e6, lasts: true }),
    });
    Object.assign(fixture.system.resource, { drain: () => new Promise(() => {}) });
    const { history, end } = await fixture.settle();
    expect(end).toBe("completed");
    expect(history.events.filter(({ type }) => type === "notice").map(({ value }) => value)).toEqual([
      { targets: ["client-0"], from: 2e6, to: 9e6, evidence: "somebody paused it", processes: [0] },
      { targets: ["resource"], from: 12e6, to: 23e6, evidence: "somebody paused it", lasts: true },
    ]);
    expect(fixture.written).toEqual(history);
  });

  test("records nothing more once its history was handed out", async () => {
    const fixture = new RunFixture(plan({ clients: [section({ steps: [] }), section({ waitMs: 500 })], limitMs: 1.5 }));
    const { history, end } = await fixture.settle();
    const { length } = history.events;
    await fixture.system.clock.advance(1000);
    fixture.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await idle();
    expect(end).toBe("limit");
    expect(history.events).toHaveLength(length);
    expect(fixture.lines).toHaveLength(length + 2);
  });
});

describe("a run that cannot be", () => {
  test.each([
    ["a fault that does not exist", { kind: "flood", at: { atMs: 0 } }],
    ["parameters that a fault does not take", { kind: "stall", params: { x: 1 }, at: { on: "acquire:ok" } }],
  ] as const)("is refused before anything is done: %s", async (_, fault) => {
    const fixture = new RunFixture(plan({ faults: [fault] }), { faults: [fakeFault("stall")] });
    await expect(fixture.settle()).rejects.toThrow(UserError);
    expect(fixture.lines).toEqual([]);
    expect(fixture.system.client(0).requests).toEqual([]);
  });

  test("when a node dies by itself it is the harness that failed; what was recorded stays", async () => {
    const fixture = new RunFixture(plan({ clients: [holder, holder] }));
    await fixture.system.clock.advance(20);
    fixture.system.notice({ kind: "died", name: "node-0", evidence: "exit code 137" });
    await expect(fixture.settle()).rejects.toThrow(new HarnessError("node-0 died by itself: exit code 137"));
    expect(fixture.written.events.map(short)).toEqual([
      "0 acquire:invoke",
      "1 acquire:invoke",
      "0 acquire:ok",
      "1 acquire:fail",
    ]);
    expect(fixture.written.end?.value).toMatchObject({
      run: "failed",
      reason: "node-0 died by itself: exit code 137",
      sections: { planned: 2, done: 1 },
    });
  });

  test.each([
    ["a client", "client-0"],
    ["a server, by clients that nobody can tell apart", "node-0"],
  ])("is stopped when %s is found to send without pause", async (_, name) => {
    const fixture = new RunFixture(plan({ clients: [holder, holder] }));
    await fixture.system.clock.advance(20);
    fixture.system.notice({ kind: "flooded", name, evidence: "so many messages" });
    await fixture.settle();
    expect(fixture.written.end?.value).toMatchObject({ run: "limit", reason: "so many messages" });
  });

  test("when a node dies while the resource is drained it is the harness that failed", async () => {
    const system = new FakeSystem({ clients: 1 });
    Object.assign(system.resource, { drain: () => new Promise(() => {}) });
    const run = runPlan({ plan: plan({ clients: [{ sections: [] }] }), system, faults: [] });
    run.catch(() => {});
    await idle();
    system.notice({ kind: "died", name: "resource", evidence: "gone" });
    await expect(system.clock.settle(run)).rejects.toThrow(HarnessError);
  });

  test.each(["onInject", "onHeal"] as const)("when a fault breaks the harness (%s) it says so", async (when) => {
    const broken = (): never => {
      throw new HarnessError("the engine is gone");
    };
    const fixture = new RunFixture(
      plan({ clients: [holder, holder], faults: [{ kind: "stall", at: { atMs: 5 }, until: { atMs: 9 } }] }),
      { faults: [fakeFault("stall", { [when]: broken })] },
    );
    await expect(fixture.settle()).rejects.toThrow("the engine is gone");
    expect(fixture.system.clock.nowMs).toBeLessThan(10);
  });

  test("when the history cannot be written it is the harness that failed, for any event", async () => {
    const sink = (line: string): void => {
      if (line.includes("lost")) throw new Error("ENOSPC");
    };
    const fixture = new RunFixture(plan({ clients: [holder, holder] }), { sink });
    await fixture.system.clock.advance(20);
    fixture.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await expect(fixture.settle()).rejects.toThrow(new HarnessError("the history cannot be written: ENOSPC"));
  });

  test("when the user can make room for the history, the user is told", async () => {
    const full = new UserError("the history cannot be written", "free space");
    const sink = (line: string): void => {
      if (line.includes("lost")) throw full;
    };
    const fixture = new RunFixture(plan({ clients: [holder, holder] }), { sink });
    await fixture.system.clock.advance(20);
    fixture.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await expect(fixture.settle()).rejects.toBe(full);
  });
});
