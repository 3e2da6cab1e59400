import "../platform/install.ts";
import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { real } from "../platform/real.ts";
import { HostDiedError } from "./host-tasks.ts";
import { Kernel } from "./kernel.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

describe("clocks", () => {
  test("timers follow the monotonic clock: a rate moves them, a jump does not", async () => {
    const kernel = new Kernel({ seed: 1 });
    const host = kernel.host("client-0");
    const fired: [number, number][] = [];
    host.spawn("main", async () => {
      for (let index = 0; index < 3; index += 1) {
        await sleep(1000);
        fired.push([kernel.now, Date.now() - Date.UTC(2025, 0, 1)]);
      }
    });
    kernel.at(500_000, "jump", () => host.clock.jump(60_000_000));
    kernel.at(1_500_000, "rate", () => host.clock.setRate(2));
    await kernel.run();
    expect(fired).toEqual([
      [1_000_000, 61_000],
      [1_750_000, 62_000],
      [2_250_000, 63_000],
    ]);
  });

  test("hosts have clocks of their own", async () => {
    const kernel = new Kernel({ seed: 1 });
    const hosts = [kernel.host("a"), kernel.host("b", { offsetUs: 5_000_000, rate: 2 })];
    const tasks = hosts.map((host) =>
      host.spawn("main", async () => {
        await sleep(1000);
        return [kernel.now, Date.now() - Date.UTC(2025, 0, 1), performance.now()];
      }),
    );
    await kernel.run();
    expect(tasks.map((task) => task.value)).toEqual([
      [1_000_000, 1000, 1000],
      [500_000, 6000, 1000],
    ]);
  });
});

describe("a pause", () => {
  test("holds events and lets them happen after it, input first or timers first by the seed's chance", async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed += 1) {
      const kernel = new Kernel({ seed });
      const host = kernel.host("client-0");
      const order: string[] = [];
      const note = (what: string) => () => void order.push(`${what} ${kernel.now}`);
      host.timer(3000, "timer", note("timer 1"));
      host.io(4000, "io", note("io 1"));
      host.io(2000, "io", note("io 2"));
      host.timer(1500, "timer", note("timer 2"));
      host.timer(20_000, "timer", note("later"));
      kernel.at(1000, "pause", () => host.pause(9000));
      await kernel.run();
      orders.add(order.join("; "));
    }
    expect([...orders].toSorted()).toEqual([
      "io 2 10000; io 1 10000; timer 2 10000; timer 1 10000; later 20000",
      "timer 2 10000; timer 1 10000; io 2 10000; io 1 10000; later 20000",
    ]);
  });

  test("without an end lasts until resume; a second pause replaces the end of the first", async () => {
    const kernel = new Kernel({ seed: 1 });
    const host = kernel.host("client-0");
    let ranAt = 0;
    host.io(10, "io", () => (ranAt = kernel.now));
    kernel.at(0, "pause", () => host.pause(100));
    kernel.at(50, "pause", () => host.pause());
    kernel.at(500, "look", () => expect(host.state).toBe("paused"));
    kernel.at(700, "resume", () => host.resume());
    kernel.at(800, "resume again", () => host.resume());
    await kernel.run();
    expect(ranAt).toBe(700);
    expect(host.state).toBe("running");
  });

  test("does not stop the step that is under way", async () => {
    const kernel = new Kernel({ seed: 1 });
    const host = kernel.host("client-0");
    const order: string[] = [];
    host.post("first", () => {
      host.pause(100);
      setImmediate(() => order.push(`immediate ${kernel.now}`));
    });
    host.post("second", () => order.push(`second ${kernel.now}`));
    await kernel.run();
    expect(order).toEqual(["immediate 0", "second 100"]);
  });
});

describe("a kill", () => {
  test("makes timers, input, immediates and what was held vanish; a new life begins with nothing", async () => {
    const kernel = new Kernel({ seed: 1 });
    const host = kernel.host("client-0");
    const order: string[] = [];
    host.spawn("old", async () => {
      setInterval(() => order.push(`tick ${kernel.now}`), 10);
      await sleep(1000);
      order.push("never");
    });
    host.io(25_000, "io", () => order.push("held, then lost"));
    kernel.at(22_000, "pause", () => host.pause());
    kernel.at(30_000, "kill", () => host.kill());
    kernel.at(35_000, "while dead", () => host.post("lost", () => order.push("lost")));
    kernel.at(40_000, "start", () => {
      host.start();
      host.post("new", () => order.push(`new ${kernel.now}`));
    });
    expect(await kernel.run()).toBe("idle");
    expect(order).toEqual(["tick 10000", "tick 20000", "new 40000"]);
    expect(kernel.now).toBe(1_000_000);
  });

  test("by its own program ends the step's immediates", async () => {
    const kernel = new Kernel({ seed: 1 });
    const host = kernel.host("client-0");
    const order: string[] = [];
    const task = host.spawn("main", async () => {
      setImmediate(() => order.push("never"));
      setTimeout(() => order.push("never"), 1);
      host.kill();
      setTimeout(() => order.push("never"), 1);
      await sleep(1);
    });
    await kernel.run();
    expect(order).toEqual([]);
    expect(task.state).toBe("killed");
  });
});

describe("failures", () => {
  test("of every kind are the host's own, with time and place, and are told to listeners", async () => {
    const kernel = new Kernel({ seed: 1 });
    const host = kernel.host("client-0");
    const told: string[] = [];
    kernel.onFailure((failed, during) => told.push(`${failed.name} ${during}`));
    const task = host.spawn("rejecting", async () => {
      await sleep(1);
      throw new Error("program");
    });
    host.spawn("throwing", () => {
      setTimeout(() => {
        throw new Error("timer");
      }, 2);
      setImmediate(() => {
        throw new Error("immediate");
      });
      process.nextTick(() => {
        throw new Error("tick");
      });
      queueMicrotask(() => {
        throw new Error("microtask");
      });
      void Promise.reject(new Error("rejection"));
      new EventEmitter().emit("error", new Error("event"));
    });
    kernel.host("other").post("fine", () => {});
    await kernel.run();
    expect(host.failures.map(({ timeUs, during, error }) => [timeUs, during, (error as Error).message])).toEqual([
      [0, "throwing", "event"],
      [0, "nextTick", "tick"],
      [0, "microtask", "microtask"],
      [0, "unhandledRejection", "rejection"],
      [0, "immediate", "immediate"],
      [1000, "rejecting", "program"],
      [2000, "timer", "timer"],
    ]);
    expect(told).toHaveLength(7);
    expect(told[0]).toBe("client-0 throwing");
    expect(kernel.hosts.get("other")?.failures).toEqual([]);
    expect(task).toMatchObject({ state: "failed", error: { message: "program" } });
  });

  test("leave the listeners of the process as they were", async () => {
    const told: unknown[] = [];
    const listener = (error: unknown): void => void told.push(error);
    process.on("unhandledRejection", listener);
    const before = ["uncaughtException", "unhandledRejection"].map((event) => process.rawListeners(event));
    try {
      const kernel = new Kernel({ seed: 1 });
      kernel.host("client-0").post("x", () => void Promise.reject(new Error("own")));
      await kernel.run();
      expect(["uncaughtException", "unhandledRejection"].map((event) => process.rawListeners(event))).toEqual(before);
      expect(before[1]).toContain(listener);
      expect(told).toEqual([]);
    } finally {
      process.off("unhandledRejection", listener);
    }
  });
});

describe("a call from host to host", () => {
  test("answers in the caller, by events, after the callee's own pauses", async () => {
    const kernel = new Kernel({ seed: 1 });
    const [runner, client] = [kernel.host("runner"), kernel.host("client-0", { offsetUs: 1_000_000 })];
    const task = runner.spawn("main", async () => {
      const value = await client.call("ask", async () => {
        await sleep(10);
        return Date.now() - Date.UTC(2025, 0, 1);
      });
      const failure = await client
        .call("fail", () => Promise.reject(new Error("no")))
        .catch((error: unknown) => (error as Error).message);
      return [value, failure, Date.now() - Date.UTC(2025, 0, 1)];
    });
    kernel.at(5000, "pause", () => client.pause(50_000));
    await kernel.run();
    expect(task.value).toEqual([1055, "no", 55]);
    expect(client.failures).toEqual([]);
  });

  test("rejects when the callee is dead or dies before it has answered", async () => {
    const kernel = new Kernel({ seed: 1 });
    const [runner, client] = [kernel.host("runner"), kernel.host("client-0")];
    const task = runner.spawn("main", async () => {
      const outcomes: unknown[] = [];
      for (let index = 0; index < 2; index += 1) {
        outcomes.push(await client.call("ask", () => sleep(1000)).catch((error: unknown) => [kernel.now, error]));
      }
      return outcomes;
    });
    kernel.at(5000, "kill", () => client.kill());
    await kernel.run({ untilUs: 10_000 });
    expect(task.value).toEqual([
      [5000, expect.any(HostDiedError)],
      [5000, expect.any(HostDiedError)],
    ]);
  });

  test("needs a calling host", () => {
    const kernel = new Kernel({ seed: 1 });
    expect(() => kernel.host("client-0").call("ask", () => 1)).toThrow("only a program in a host can call client-0");
  });
});

describe("descent", () => {
  async function shared(checkDescent: boolean): Promise<unknown[]> {
    const kernel = new Kernel({ seed: 1, checkDescent });
    const [a, b] = [kernel.host("a"), kernel.host("b")];
    const crossing = Promise.withResolvers<void>();
    const task = a.spawn("waits", async () => {
      await crossing.promise;
      Date.now();
    });
    b.spawn("resolves", async () => {
      await sleep(1);
      setImmediate(() => crossing.resolve());
      queueMicrotask(() => Math.random());
    });
    await kernel.run();
    return [task.state, [...a.failures, ...b.failures].map(({ error }) => (error as Error).message)];
  }

  test("when checked, a promise that crosses hosts is found out", async () => {
    expect(await shared(true)).toEqual([
      "failed",
      ["Date.now was called in a step of b by code that a began: they share a promise"],
    ]);
    expect(await shared(false)).toEqual(["done", []]);
  });
});

test("when descent is checked, a program that waits for the real world is found out", async () => {
  const kernel = new Kernel({ seed: 1, checkDescent: true });
  const task = kernel.host("client-0").spawn("waits", async () => {
    await new Promise<void>((resolve) => void real.setImmediate(resolve));
    return Date.now();
  });
  kernel.host("other").spawn("goes on", () => void setInterval(() => {}, 1));
  await kernel.run({ done: () => task.state !== "running" });
  expect(task).toMatchObject({
    state: "failed",
    error: { message: "Date.now was called in a step of no host by code that client-0 began: they share a promise" },
  });
});

test("process.exit kills the host, not the simulation", async () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("client-0");
  const task = host.spawn("main", async () => {
    await sleep(5);
    process.exit(3);
  });
  await kernel.run();
  expect([host.state, task.state]).toEqual(["dead", "killed"]);
  expect(host.failures).toMatchObject([{ timeUs: 5000, during: "process.exit" }]);
});

test("each purpose of each host has a stream of its own", () => {
  const draw = (name: string, purpose: string, seed = 1): number =>
    new Kernel({ seed }).host(name).random(purpose).integer(0, 1_000_000_000);
  const first = draw("a", "x");
  expect(draw("a", "x")).toBe(first);
  expect(new Set([first, draw("a", "y"), draw("b", "x"), draw("a", "x", 2)]).size).toBe(4);
});

test("what a program prints is kept, not shown", async () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("client-0");
  host.post("print", () => {
    console.log("value %d", 5, { a: 1 });
    console.error("trouble");
  });
  await kernel.run();
  expect(host.output).toEqual(["value 5 { a: 1 }", "trouble"]);
});
