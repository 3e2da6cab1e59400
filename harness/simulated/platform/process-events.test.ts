import "./install.ts";
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
