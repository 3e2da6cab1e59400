import "./install.ts";
import os from "node:os";
import { afterEach, expect, test } from "vitest";
import { HarnessError } from "../../core/errors.ts";
import { Kernel } from "../kernel/kernel.ts";
import type { Host } from "../kernel/host.ts";

const EVENTS = ["exit", "SIGTERM", "uncaughtException", "unhandledRejection", "cleanup"] as const;
const before = EVENTS.map((event) => process.listenerCount(event));

afterEach(() => {
  expect(EVENTS.map((event) => process.listenerCount(event))).toEqual(before);
});

async function run(program: () => void, next: () => void = () => {}): Promise<{ host: Host; other: Host }> {
  const kernel = new Kernel({ seed: 1 });
  const [host, other] = [kernel.host("client-0"), kernel.host("client-1")];
  host.spawn("main", program);
  await kernel.run();
  other.spawn("main", next);
  await kernel.run();
  return { host, other };
}

test("a listener that a host's program adds to `process` is its own, not the simulation's", async () => {
  const counts: number[] = [];
  const listener = (): void => {};
  await run(
    () => {
      expect(process.on("exit", listener).once("SIGTERM", listener)).toBe(process);
      counts.push(process.listenerCount("exit"), process.listeners("SIGTERM").length);
      process.off("exit", listener);
      counts.push(process.listenerCount("exit"));
      process.addListener("exit", listener);
    },
    () => counts.push(process.listenerCount("exit")),
  );
  expect(counts).toEqual([1, 1, 0, 0]);
});

test("the next life of a host has none of the former's listeners", async () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("client-0");
  host.spawn("main", () => process.on("exit", () => {}).on("uncaughtException", () => {}));
  await kernel.run();
  host.kill();
  host.start();
  host.spawn("fails", () => process.nextTick(() => fail("tick")));
  await kernel.run();
  expect(host.failures).toHaveLength(1);
  const later = host.spawn("main", () => process.listenerCount("exit"));
  await kernel.run();
  expect(later.value).toBe(0);
});

test("an event that a program emits reaches its own listeners", async () => {
  const heard: unknown[] = [];
  await run(
    () => {
      process.on("cleanup" as "exit", (value) => heard.push(value));
      process.emit("cleanup" as "exit", 7);
    },
    () => process.emit("cleanup" as "exit", 8),
  );
  expect(heard).toEqual([7]);
});

test("a signal that a program sends to itself reaches its listener, or ends its process", async () => {
  const heard: unknown[] = [];
  const { host, other } = await run(
    () => {
      process.on("SIGTERM", (signal) => heard.push(signal));
      heard.push(process.kill(process.pid, 0), process.kill(process.pid, "SIGCHLD"), process.kill(process.pid));
      heard.push("after the call");
    },
    () => {
      setTimeout(() => heard.push("never"), 1);
      process.kill(process.pid, os.constants.signals.SIGUSR2);
    },
  );
  expect(heard).toEqual([true, true, true, "after the call", "SIGTERM"]);
  expect([host.failures.length, host.state, other.state]).toEqual([0, "running", "dead"]);
  expect(String(other.failures[0]?.error)).toBe('Error: the program called process.kill(process.pid, "SIGUSR2")');
});

test("SIGKILL ends a process whatever it listens for", async () => {
  const { host } = await run(() => {
    process.on("SIGTERM", () => {});
    process.kill(process.pid, "SIGKILL");
  });
  expect(host.state).toBe("dead");
});

test("no other process can be reached by a signal, not even by one that only asks", async () => {
  const real = process.pid;
  const codes: unknown[] = [];
  await run(() => {
    for (const pid of [real, 1, process.pid + 1, -process.pid]) {
      try {
        process.kill(pid, 0);
      } catch (error) {
        codes.push((error as NodeJS.ErrnoException).code);
      }
    }
  });
  expect(codes).toEqual(["ESRCH", "ESRCH", "ESRCH", "ESRCH"]);
});

const errors = {
  "a timer": () => void setTimeout(() => fail("timer"), 1),
  "a tick": () => process.nextTick(() => fail("tick")),
  "a microtask": () => queueMicrotask(() => fail("microtask")),
  "a rejection": () => void Promise.reject(new Error("rejection")),
};

function fail(what: string): never {
  throw new Error(what);
}

test.each(Object.entries(errors))("a program that listens for what nobody catches survives %s", async (_, go) => {
  const heard: unknown[] = [];
  const { host } = await run(() => {
    process.on("uncaughtException", (error, origin) => heard.push([error.message, origin]));
    go();
  });
  expect(host.failures).toEqual([]);
  const [what, origin] = heard[0] as [string, string];
  expect(origin).toBe(what === "rejection" ? "unhandledRejection" : "uncaughtException");
});

test("a program that captures what nobody catches captures its own alone, and only until it stops", async () => {
  const heard: unknown[] = [];
  const { host, other } = await run(() => {
    process.setUncaughtExceptionCaptureCallback((error) => void heard.push(error.message));
    heard.push(process.hasUncaughtExceptionCaptureCallback());
    for (const go of Object.values(errors)) go();
    setTimeout(() => process.setUncaughtExceptionCaptureCallback(null), 2);
    setTimeout(() => fail("late"), 3);
  }, errors["a timer"]);
  expect(heard).toEqual([true, "tick", "microtask", "rejection", "timer"]);
  expect([host, other].map(({ failures }) => failures.map(({ error }) => (error as Error).message))).toEqual([
    ["late"],
    ["timer"],
  ]);
  expect(process.hasUncaughtExceptionCaptureCallback()).toBe(false);
});

test("a rejection goes to the listener for rejections, with its promise, rather than to that for exceptions", async () => {
  const heard: unknown[] = [];
  const promises: unknown[] = [];
  const { host } = await run(() => {
    process.on("uncaughtException", () => heard.push("exception"));
    process.on("unhandledRejection", (reason, promise) =>
      heard.push((reason as Error).message, promises[0] === promise),
    );
    promises.push(Promise.reject(new Error("rejection")));
  });
  expect(host.failures).toEqual([]);
  expect(heard).toEqual(["rejection", true]);
});

test("a listener for rejections does not catch exceptions, nor does one of another host", async () => {
  const { host, other } = await run(() => {
    process.on("unhandledRejection", () => {});
    setTimeout(() => fail("timer"), 1);
  }, errors["a rejection"]);
  expect(host.failures).toHaveLength(1);
  expect(other.failures).toHaveLength(1);
});

test("no listener catches an error of the simulation", async () => {
  const { host } = await run(() => {
    process.on("uncaughtException", () => {});
    setTimeout(() => {
      throw new HarnessError("no such host");
    }, 1);
  });
  expect(host.failures).toMatchObject([{ error: { message: "no such host" } }]);
});

test("what such a listener throws ends the program", async () => {
  const { host } = await run(() => {
    process.on("uncaughtException", () => fail("listener"));
    setTimeout(() => fail("timer"), 1);
  });
  expect(host.failures).toMatchObject([{ error: { message: "listener" } }]);
});

test("a listener that calls process.exit ends the program by that", async () => {
  const { host } = await run(() => {
    process.on("uncaughtException", () => process.exit(1));
    setTimeout(() => fail("timer"), 1);
  });
  expect(host.state).toBe("dead");
  expect(host.failures).toMatchObject([{ during: "process.exit" }]);
});
