import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, test } from "vitest";
import type { Trigger } from "../core/trigger.ts";
import { idle, VirtualClock } from "./testing/virtual-clock.ts";
import { TriggerBoard, type Happening } from "./trigger-board.ts";

let clock: VirtualClock;
let stop: AbortController;
let board: TriggerBoard;
/** What happened, each with the time in milliseconds. */
let log: string[];

beforeEach(() => {
  clock = new VirtualClock();
  stop = new AbortController();
  board = new TriggerBoard(clock, stop.signal);
  log = [];
});

/** Logs when the trigger fires, and when waiting for it is given up. */
function watch(name: string, trigger: Trigger): void {
  board.wait(trigger).then(
    () => log.push(`${name} at ${clock.nowMs}`),
    (error: Error) => log.push(`${name}: ${error.message}`),
  );
}

const grant = (client: number): Happening => ({ kind: "acquire:ok", client });

describe("an event trigger", () => {
  test("fires at the k-th event, once", async () => {
    watch("first", { on: "acquire:ok" });
    watch("third", { on: "acquire:ok", count: 3 });
    const fired: string[][] = [];
    for (let count = 0; count < 5; count += 1) {
      await board.publish(grant(0));
      await idle();
      fired.push([...log]);
    }
    expect(fired.map((names) => names.length)).toEqual([1, 1, 2, 2, 2]);
    expect(log).toEqual(["first at 0", "third at 0"]);
  });

  test("counts only its own anchor, client and fault", async () => {
    watch("client 1, second", { on: "acquire:ok", client: 1, count: 2 });
    watch("fault 1", { on: "fault:start", fault: 1 });
    const happenings: Happening[] = [
      grant(0),
      grant(1),
      { kind: "acquire:fail", client: 1 },
      { kind: "fault:start", fault: 0 },
      { kind: "fault:heal", fault: 1 },
      grant(0),
    ];
    for (const happening of happenings) await board.publish(happening);
    await idle();
    expect(log).toEqual([]);
    await board.publish(grant(1));
    await board.publish({ kind: "fault:start", fault: 1 });
    await idle();
    expect(log).toEqual(["client 1, second at 0", "fault 1 at 0"]);
  });

  test("of a release's end fires whatever the release said, and counts each", async () => {
    for (const count of [1, 2, 3, 4]) watch(`${count}`, { on: "release:end", client: 0, count });
    for (const kind of ["release:invoke", "release:info", "acquire:info", "release:fail", "release:ok", "extend:ok"]) {
      await board.publish({ kind, client: 0 });
    }
    await board.publish({ kind: "release:ok", client: 1 });
    await idle();
    expect(log).toEqual(["1 at 0", "2 at 0", "3 at 0"]);
  });

  test("whose event has happened fires at once", async () => {
    await board.publish(grant(0));
    await board.publish(grant(1));
    watch("second", { on: "acquire:ok", count: 2 });
    watch("third", { on: "acquire:ok", count: 3 });
    await idle();
    expect(log).toEqual(["second at 0"]);
    await board.publish(grant(0));
    await idle();
    expect(log).toEqual(["second at 0", "third at 0"]);
  });

  test("with a delay fires that long after the event, also when it is registered later", async () => {
    watch("before", { on: "acquire:ok", afterMs: 100 });
    await clock.advance(10);
    await board.publish(grant(0));
    await clock.advance(30);
    watch("between", { on: "acquire:ok", afterMs: 100 });
    await clock.advance(200);
    watch("too late", { on: "acquire:ok", afterMs: 100 });
    await idle();
    expect(log).toEqual(["before at 110", "between at 110", "too late at 240"]);
  });
});

describe("a time trigger", () => {
  test("fires at its time, or at once when that is over", async () => {
    await clock.advance(50);
    watch("future", { atMs: 80 });
    watch("past", { atMs: 20 });
    await clock.advance(100);
    expect(log).toEqual(["past at 50", "future at 80"]);
  });
});

describe("publish", () => {
  test("waits for what hangs on the event without a delay, and only for that", async () => {
    const action = (name: string, ms: number) => async (): Promise<void> => {
      log.push(`${name} begins at ${clock.nowMs}`);
      await clock.sleep(ms);
      log.push(`${name} ends at ${clock.nowMs}`);
    };
    void board.when({ on: "acquire:ok" }, action("slow", 30));
    void board.when({ on: "acquire:ok" }, action("fast", 5));
    void board.when({ on: "acquire:ok", afterMs: 10 }, action("delayed", 100));
    void board.when({ on: "acquire:ok", count: 2 }, action("another event's", 1000));
    await clock.settle(board.publish(grant(0)));
    log.push(`published at ${clock.nowMs}`);
    expect(log).toEqual([
      "slow begins at 0",
      "fast begins at 0",
      "fast ends at 5",
      "delayed begins at 10",
      "slow ends at 30",
      "published at 30",
    ]);
  });

  test("does not fail with an action: its author does", async () => {
    const registered = board.when({ on: "acquire:ok" }, () => Promise.reject(new Error("no engine")));
    const outcome = expect(registered).rejects.toThrow("no engine");
    await board.publish(grant(0));
    await outcome;
  });

  test("does not hang on an action that publishes what others wait for", async () => {
    watch("nested", { on: "fault:start", fault: 0 });
    void board.when({ on: "acquire:ok" }, () => board.publish({ kind: "fault:start", fault: 0 }));
    await board.publish(grant(0));
    await idle();
    expect(log).toEqual(["nested at 0"]);
  });
});

describe("the end of the run", () => {
  test("ends all waiting with its reason and leaves nobody listening", async () => {
    watch("event", { on: "acquire:ok" });
    watch("time", { atMs: 10 });
    watch("delay", { on: "acquire:ok", client: 1, afterMs: 10 });
    await board.publish(grant(1));
    await idle();
    log.length = 0;
    watch("event", { on: "write:ok" });
    stop.abort(new Error("over"));
    watch("afterwards", { on: "acquire:ok" });
    await idle();
    expect(log.toSorted()).toEqual(["afterwards: over", "delay: over", "event: over", "time: over"]);
    expect(clock.sleepers).toBe(0);
    await board.publish({ kind: "write:ok", client: 0 });
    expect(log).toHaveLength(4);
  });

  test("lets an action that has begun come to its end", async () => {
    const action = board.when({ on: "acquire:ok" }, () => clock.sleep(20));
    const published = board.publish(grant(0));
    stop.abort(new Error("over"));
    await expect(clock.settle(action)).resolves.toBeUndefined();
    await published;
  });

  test("many triggers need one listener", () => {
    for (let count = 0; count < 50; count += 1) board.wait({ on: "acquire:ok" }).catch(() => {});
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  });
});

describe("a message trigger", () => {
  const trigger = { moment: "before", command: "SET", count: 2 } as const;

  test("fires when its message is reported, which is counted elsewhere, and is done before the report is", async () => {
    const done = board.when({ ...trigger, client: 1 }, async () => void log.push("acted"));
    await board.publish({ message: trigger });
    expect(log).toEqual([]);
    await board.publish({ message: { ...trigger, client: 1 } });
    expect(log).toEqual(["acted"]);
    await done;
  });

  test("fires at once when its message was reported already", async () => {
    await board.publish({ message: trigger });
    watch("late", trigger);
    watch("another moment", { ...trigger, moment: "after" });
    await idle();
    expect(log).toEqual(["late at 0"]);
  });
});
