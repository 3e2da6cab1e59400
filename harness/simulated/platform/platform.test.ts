import "./install.ts";
import crypto from "node:crypto";
import dns from "node:dns";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import net, { createConnection } from "node:net";
import os from "node:os";
import { getEventListeners } from "node:events";
import { performance as hooksPerformance } from "node:perf_hooks";
import timers, { setTimeout as importedSetTimeout } from "node:timers";
import timerPromises from "node:timers/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";
import { OutsideHostError } from "../kernel/current-context.ts";
import { inHost, inService } from "./testing/in-simulation.ts";

const EPOCH_MS = Date.UTC(2025, 0, 1);

const noop = (): void => {};
/** Everything that is patched, called as programs call it. */
const calls: Record<string, () => unknown> = {
  "Date.now": () => Date.now(),
  "new Date": () => new Date(),
  Date: () => Date(),
  "performance.now": () => performance.now(),
  "perf_hooks.performance.now": () => hooksPerformance.now(),
  "process.hrtime": () => process.hrtime(),
  "process.hrtime.bigint": () => process.hrtime.bigint(),
  "process.uptime": () => process.uptime(),
  setTimeout: () => setTimeout(noop, 1).unref(),
  setInterval: () => clearInterval(setInterval(noop, 1)),
  setImmediate: () => setImmediate(noop),
  "node:timers setTimeout": () => clearTimeout(importedSetTimeout(noop, 1)),
  "node:timers setInterval": () => clearInterval(timers.setInterval(noop, 1)),
  "node:timers setImmediate": () => clearImmediate(timers.setImmediate(noop)),
  "timers/promises setTimeout": () => timerPromises.setTimeout(1, "x", { ref: false }),
  "timers/promises setImmediate": () => timerPromises.setImmediate("x"),
  "timers/promises setInterval": () => timerPromises.setInterval(1),
  "scheduler.wait": () => timerPromises.scheduler.wait(1),
  "scheduler.yield": () => timerPromises.scheduler.yield(),
  "AbortSignal.timeout": () => AbortSignal.timeout(1),
  "process.nextTick": () => process.nextTick(noop),
  queueMicrotask: () => queueMicrotask(noop),
  "Math.random": () => Math.random(),
  "crypto.randomBytes": () => crypto.randomBytes(4),
  "crypto.pseudoRandomBytes": () => crypto.pseudoRandomBytes(4),
  "crypto.rng": () => (Reflect.get(crypto, "rng") as typeof crypto.randomBytes)(4),
  "crypto.randomFillSync": () => crypto.randomFillSync(new Uint8Array(4)),
  "crypto.randomFill": () => crypto.randomFill(new Uint8Array(4), noop),
  "crypto.randomInt": () => crypto.randomInt(10),
  "crypto.randomUUID": () => crypto.randomUUID(),
  "node:crypto getRandomValues": () => crypto.webcrypto.getRandomValues(new Uint8Array(4)),
  "global crypto.getRandomValues": () => globalThis.crypto.getRandomValues(new Uint8Array(4)),
  "global crypto.randomUUID": () => globalThis.crypto.randomUUID(),
  "new net.Socket": () => new net.Socket(),
  "net.connect": () => net.connect(1, "127.0.0.1").on("error", noop),
  "net.createConnection": () => createConnection({ port: 1, host: "127.0.0.1" }).on("error", noop),
  "dns.lookup": () => dns.lookup("localhost", noop),
  "dns.promises.lookup": () => dns.promises.lookup("localhost"),
  "fs.stat": () => fs.stat(".", noop),
  "fs.promises.stat": () => fs.promises.stat("."),
  "fs.promises.open": () => fs.promises.open(import.meta.filename).then((handle) => handle.close()),
  "crypto.pbkdf2": () => crypto.pbkdf2("a", "b", 1, 8, "sha1", noop),
  "crypto.subtle.digest": () => crypto.subtle.digest("SHA-1", new Uint8Array(1)),
  "zlib.gzip": () => zlib.gzip("a", noop),
  "os.hostname": () => os.hostname(),
  "os.uptime": () => os.uptime(),
  "performance.timeOrigin": () => performance.timeOrigin,
  "Intl.DateTimeFormat.format": () => new Intl.DateTimeFormat("en").format(),
  "Intl.DateTimeFormat.formatToParts": () => new Intl.DateTimeFormat("en").formatToParts(),
  "process.kill": () => process.kill(process.pid, 0),
  "new MessageChannel": () => new MessageChannel().port1.close(),
};
describe("a patched function", () => {
  test.each(Object.keys(calls))("%s throws inside the simulation but outside every host", async (name) => {
    await expect(inService(() => calls[name]?.())).rejects.toThrow(OutsideHostError);
  });

  test.each(Object.keys(calls))("%s works in a host, and outside as ever", async (name) => {
    await inHost(async () => {
      await calls[name]?.();
    });
    await calls[name]?.();
  });

  test("keeps name, length and properties of the original", () => {
    expect([setTimeout.name, Date.name, Date.length, crypto.randomBytes.length]).toEqual(["setTimeout", "Date", 7, 2]);
    expect(typeof process.hrtime.bigint).toBe("function");
    expect(promisify(setTimeout)).toBe(timerPromises.setTimeout);
  });

  test("is the same for CommonJS, for default and for named imports", () => {
    const required = createRequire(import.meta.url)("node:net") as typeof net;
    expect(required.createConnection).toBe(createConnection);
    expect(net.createConnection).toBe(createConnection);
    expect(net.connect.name).toBe("connect");
  });
});

describe("dates", () => {
  test("read the host's wall clock, and only for the present", async () => {
    const seen = await inHost(async () => {
      await timerPromises.setTimeout(1234);
      return [
        Date.now(),
        new Date().getTime(),
        Date.parse(Date()),
        new Date(5).getTime(),
        new Date(2020, 1).getMonth(),
      ];
    });
    expect(seen).toEqual([EPOCH_MS + 1234, EPOCH_MS + 1234, EPOCH_MS + 1000, 5, 1]);
  });

  test("are Dates still, also for classes that extend it", () => {
    class Special extends Date {}
    const special = new Special(7);
    expect(special).toBeInstanceOf(Special);
    expect(special).toBeInstanceOf(Date);
    expect(special.getTime()).toBe(7);
    expect(new Date(0).constructor).toBe(Date);
    expect(Date.UTC(1970, 0, 1)).toBe(0);
    expect(typeof Date()).toBe("string");
  });
});

test("a request of node:http opens a socket, which nobody listens for", async () => {
  const code = await inHost(
    () =>
      new Promise((resolve) => {
        http.get("http://127.0.0.1:9", resolve).on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      }),
  );
  expect(code).toBe("ECONNREFUSED");
});

describe("monotonic clocks", () => {
  test("agree with each other", async () => {
    const seen = await inHost(async () => {
      const start = process.hrtime();
      await timerPromises.setTimeout(1500);
      return [performance.now(), process.hrtime(), process.hrtime(start), process.hrtime.bigint(), process.uptime()];
    });
    expect(seen).toEqual([1500, [1, 500_000_000], [1, 500_000_000], 1_500_000_000n, 1.5]);
  });
});

describe("timers", () => {
  test("pass arguments, count from now, and read delays as Node does", async () => {
    const kernel = new Kernel({ seed: 1 });
    const fired: unknown[] = [];
    kernel.host("client-0").spawn("main", () => {
      const delays: [string, unknown][] = [
        ["5", 5],
        ["text 3", "3"],
        ["fraction", 2.9],
        ["zero", 0],
        ["negative", -5],
        ["NaN", Number.NaN],
        ["none", undefined],
        ["too long", 2 ** 31],
      ];
      for (const [name, delay] of delays) {
        setTimeout((...args: unknown[]) => fired.push([...args, kernel.now]), delay as number, name, 1);
      }
    });
    await kernel.run();
    expect(fired).toEqual([
      ["zero", 1, 1000],
      ["negative", 1, 1000],
      ["NaN", 1, 1000],
      ["none", 1, 1000],
      ["too long", 1, 1000],
      ["fraction", 1, 2000],
      ["text 3", 1, 3000],
      ["5", 1, 5000],
    ]);
  });

  test("can be cleared by object, number and text, refreshed, and closed", async () => {
    const fired = await inHost(async () => {
      const fired: string[] = [];
      const start = (name: string, ms = 5): NodeJS.Timeout => setTimeout(() => fired.push(name), ms);
      clearTimeout(start("object"));
      clearTimeout(Number(start("number")));
      clearInterval(String(Number(start("text"))));
      clearTimeout(undefined);
      clearTimeout(12_345);
      start("closed").close();
      start("disposed")[Symbol.dispose]();
      const refreshed = start("refreshed", 5);
      const cleared = start("cleared, then refreshed");
      clearTimeout(cleared);
      cleared.refresh();
      start("in between", 7);
      setTimeout(() => refreshed.refresh(), 4);
      const immediate = setImmediate(() => fired.push("immediate"));
      clearImmediate(immediate);
      await timerPromises.setTimeout(20);
      refreshed.refresh();
      await timerPromises.setTimeout(20);
      return fired;
    });
    expect(fired).toEqual(["in between", "refreshed", "refreshed"]);
  });

  test("have a reference or not, as told", async () => {
    const seen = await inHost(() => {
      const timer = setTimeout(noop, 1);
      return [timer.hasRef(), timer.unref().hasRef(), timer.ref().hasRef(), setImmediate(noop).unref().hasRef()];
    });
    expect(seen).toEqual([true, false, true, false]);
  });

  test("repeat until they are cleared, in their own callback too", async () => {
    const kernel = new Kernel({ seed: 1 });
    const fired: number[] = [];
    kernel.host("client-0").spawn("main", () => {
      const interval = setInterval(() => {
        fired.push(kernel.now);
        if (fired.length === 3) clearInterval(interval);
      }, 10);
    });
    await kernel.run();
    expect(fired).toEqual([10_000, 20_000, 30_000]);
  });

  test("refuse what is no function with Node's error", async () => {
    await expect(inHost(() => Reflect.apply(setTimeout, undefined, [5, 1]))).rejects.toMatchObject({
      code: "ERR_INVALID_ARG_TYPE",
    });
  });

  test("as promises resolve with a value, and reject when aborted", async () => {
    const seen = await inHost(async () => {
      const controller = new AbortController();
      const waiting = timerPromises
        .setTimeout(1000, "never", { signal: controller.signal })
        .catch((error: unknown) => error);
      const value = await timerPromises.setTimeout(5, "value");
      controller.abort("reason");
      const tooLate = timerPromises
        .setImmediate("never", { signal: controller.signal })
        .catch((error: unknown) => error);
      return { value, now: performance.now(), errors: await Promise.all([waiting, tooLate]) };
    });
    expect(seen.value).toBe("value");
    expect(seen.now).toBe(5);
    for (const error of seen.errors) {
      expect(error).toMatchObject({ name: "AbortError", code: "ABORT_ERR", cause: "reason" });
    }
  });

  test("as async iterators make up for intervals that nobody took", async () => {
    const seen = await inHost(async () => {
      const seen: number[] = [];
      for await (const value of timerPromises.setInterval(10, "x")) {
        expect(value).toBe("x");
        seen.push(performance.now());
        if (seen.length === 1) await timerPromises.setTimeout(25);
        if (seen.length === 5) break;
      }
      return seen;
    });
    expect(seen).toEqual([10, 35, 35, 40, 50]);
  });

  test("as promises leave no listener on a signal that does not abort", async () => {
    const listeners = await inHost(async () => {
      const { signal } = new AbortController();
      await timerPromises.setTimeout(5, undefined, { signal });
      for await (const _ of timerPromises.setInterval(5, undefined, { signal })) break;
      return getEventListeners(signal, "abort").length;
    });
    expect(listeners).toBe(0);
  });

  test("AbortSignal.timeout aborts in the host's time", async () => {
    const seen = await inHost(async () => {
      const signal = AbortSignal.timeout(50);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return [performance.now(), (signal.reason as Error).name];
    });
    expect(seen).toEqual([50, "TimeoutError"]);
  });
});

describe("randomness", () => {
  const draw = (): unknown[] => [
    Math.random(),
    crypto.randomBytes(8).toString("hex"),
    crypto.randomUUID(),
    crypto.randomInt(1000),
    crypto.randomInt(5, 7),
    [...crypto.randomFillSync(new Uint8Array(6), 2, 3)].slice(0, 2),
    [...globalThis.crypto.getRandomValues(new Uint16Array(3))],
    crypto.pseudoRandomBytes(8).toString("hex"),
  ];

  test("depends on seed and host alone", async () => {
    const first = await inHost(draw);
    expect(await inHost(draw)).toEqual(first);
    expect((await inHost(draw, 2))[0]).not.toBe(first[0]);
    expect((await inHost(draw, 1, "client-1"))[0]).not.toBe(first[0]);
    expect([5, 6]).toContain(first[4]);
    expect(first[5]).toEqual([0, 0]);
    expect(first[6]).not.toEqual([0, 0, 0]);
  });

  test("is spread over its range", async () => {
    const numbers = await inHost(() => Array.from({ length: 2000 }, () => Math.random()));
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
    expect(new Set(numbers).size).toBe(2000);
  });

  test("makes version 4 UUIDs", async () => {
    const uuids = await inHost(() => Array.from({ length: 100 }, () => crypto.randomUUID()));
    expect(new Set(uuids).size).toBe(100);
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("by callback comes later", async () => {
    const order = await inHost(async () => {
      const order: unknown[] = [];
      await new Promise<void>((resolve) => {
        crypto.randomBytes(3, (error, bytes) => {
          order.push(error, bytes.length);
          resolve();
        });
        order.push("called");
      });
      return order;
    });
    expect(order).toEqual(["called", null, 3]);
  });
});

describe("names", () => {
  test("of hosts resolve to their addresses; others are unknown", async () => {
    const seen = await inHost(async () => [
      await dns.promises.lookup("client-0"),
      await dns.promises.lookup("client-0", { all: true }),
      await dns.promises.lookup("10.9.8.7"),
      await new Promise((resolve) => dns.lookup("client-0", (_, address, family) => resolve([address, family]))),
      await dns.promises.lookup("nowhere").catch((error: unknown) => error),
    ]);
    const found = { address: "10.0.0.1", family: 4 };
    expect(seen).toEqual([
      found,
      [found],
      { address: "10.9.8.7", family: 4 },
      ["10.0.0.1", 4],
      expect.objectContaining({ code: "ENOTFOUND", hostname: "nowhere", syscall: "getaddrinfo" }),
    ]);
  });
});

test("a test runner that puts process.nextTick back does not undo the patch, but another patch can", async () => {
  const nextTick = (): unknown => Reflect.get(process, "nextTick");
  const patched = nextTick();
  await expect(
    inHost(() => {
      process.nextTick(() => {
        throw new Error("caught by the host");
      });
    }),
  ).rejects.toThrow("caught by the host");
  const other = (): void => {};
  process.nextTick = other;
  expect(nextTick()).toBe(other);
  Reflect.set(process, "nextTick", patched);
  expect(nextTick()).toBe(patched);
});
