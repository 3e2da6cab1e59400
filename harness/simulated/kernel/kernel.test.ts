import "../platform/install.ts";
import { describe, expect, test } from "vitest";
import { Kernel } from "./kernel.ts";
import { UserError } from "../../core/errors.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

describe("time", () => {
  test("moves only between steps, to the next event", async () => {
    const kernel = new Kernel({ seed: 1 });
    const seen: [string, number][] = [];
    kernel.at(5000, "b", () => seen.push(["b", kernel.now]));
    kernel.at(2000, "a", () => seen.push(["a", kernel.now]));
    kernel.after(5000, "c", () => seen.push(["c", kernel.now]));
    expect(await kernel.run()).toBe("idle");
    expect(seen).toEqual([
      ["a", 2000],
      ["b", 5000],
      ["c", 5000],
    ]);
  });

  test("stops at a given time, with the events of that instant, and goes on from there", async () => {
    const kernel = new Kernel({ seed: 1 });
    const seen: number[] = [];
    for (const timeUs of [10, 20, 30]) kernel.at(timeUs, "", () => seen.push(timeUs));
    expect(await kernel.run({ untilUs: 20 })).toBe("time");
    expect([seen, kernel.now]).toEqual([[10, 20], 20]);
    expect(await kernel.run({ untilUs: 25 })).toBe("time");
    expect(kernel.now).toBe(25);
    expect(await kernel.run()).toBe("idle");
    expect(seen).toEqual([10, 20, 30]);
  });

  test.each([-1, 0.5, Number.NaN])("an event cannot be at %s", (timeUs) => {
    expect(() => new Kernel({ seed: 1 }).at(timeUs, "x", () => {})).toThrow(RangeError);
  });

  test("a program's steps and timers", async () => {
    const kernel = new Kernel({ seed: 1 });
    const seen: unknown[] = [];
    const task = kernel.host("client-0").spawn("main", async () => {
      seen.push(Date.now() - Date.UTC(2025, 0, 1));
      await sleep(1500);
      seen.push(Date.now() - Date.UTC(2025, 0, 1), performance.now());
      return "value";
    });
    expect(task.state).toBe("running");
    expect(await kernel.run()).toBe("idle");
    expect(task).toMatchObject({ state: "done", value: "value" });
    expect(seen).toEqual([0, 1500, 1500]);
  });

  test("done is asked after each step, and ends the run with work left", async () => {
    const kernel = new Kernel({ seed: 1 });
    let count = 0;
    kernel.host("client-0").spawn("main", async () => {
      for (;;) {
        count += 1;
        await sleep(1);
      }
    });
    expect(await kernel.run({ done: () => count === 10 })).toBe("done");
    expect(kernel.now).toBe(9000);
  });
});

describe("a step", () => {
  test("drains ticks, microtasks and immediates before the next event of the same instant", async () => {
    const kernel = new Kernel({ seed: 1 });
    const order: string[] = [];
    const host = kernel.host("client-0");
    host.post("first", () => {
      setImmediate(() => {
        order.push("immediate");
        process.nextTick(() => order.push("tick of immediate"));
        setImmediate(() => order.push("immediate of immediate"));
      });
      void Promise.resolve().then(() => {
        order.push("microtask");
        process.nextTick(() => order.push("tick of microtask"));
        queueMicrotask(() => order.push("microtask of microtask"));
      });
      process.nextTick((...args: number[]) => order.push(`tick ${args.join()}`), 1, 2);
      order.push("callback");
    });
    host.post("second", () => order.push("second"));
    await kernel.run();
    expect(order).toEqual([
      "callback",
      "tick 1,2",
      "microtask",
      "microtask of microtask",
      "tick of microtask",
      "immediate",
      "tick of immediate",
      "immediate of immediate",
      "second",
    ]);
  });

  test("that is longer than a turn of the real event loop stays one step, and the real world stays real meanwhile", async () => {
    const kernel = new Kernel({ seed: 1 });
    const realNow = Date.now();
    let realReadings = 0;
    let over = false;
    const watch = (): void => {
      expect(Math.abs(Date.now() - realNow)).toBeLessThan(60_000);
      realReadings += 1;
      if (!over) setImmediate(watch);
    };
    setImmediate(watch);
    let immediates = 0;
    const task = kernel.host("client-0").spawn("main", async () => {
      for (; immediates < 1000; immediates += 1) {
        await new Promise((resolve) => void setImmediate(resolve));
        expect(Date.now()).toBe(Date.UTC(2025, 0, 1));
      }
    });
    await kernel.run();
    over = true;
    expect(task).toMatchObject({ state: "done" });
    expect(immediates).toBe(1000);
    expect(realReadings).toBeGreaterThan(10);
  });
});

describe("limits", () => {
  test("events", async () => {
    const kernel = new Kernel({ seed: 1, limits: { events: 100 } });
    const again = (): void => void kernel.after(1, "again", again);
    again();
    await expect(kernel.run()).rejects.toThrow("ran 100 events");
  });

  test("virtual time", async () => {
    const kernel = new Kernel({ seed: 1, limits: { timeUs: 1_000_000 } });
    kernel.at(1_000_001, "late", () => {});
    await expect(kernel.run()).rejects.toThrow("1,000 ms of virtual time");
  });

  test("a program that polls by setImmediate", async () => {
    const kernel = new Kernel({ seed: 1, limits: { tasksPerStep: 500 } });
    const poll = (): void => void setImmediate(poll);
    kernel.host("client-0").spawn("main", poll);
    await expect(kernel.run()).rejects.toThrow(/client-0 ran 501 immediates without waiting/);
  });

  test("a program that spins until a time", async () => {
    const kernel = new Kernel({ seed: 1, limits: { clockReadsPerStep: 500 } });
    kernel.host("client-0").spawn("main", () => {
      const end = Date.now() + 10;
      while (Date.now() < end);
    });
    await expect(kernel.run()).rejects.toThrow(UserError);
  });

  test("leave the process fit for another simulation", async () => {
    const kernel = new Kernel({ seed: 1 });
    kernel.at(1, "x", () => {});
    expect(await kernel.run()).toBe("idle");
  });
});

test("what the simulation itself throws ends the run with that error", async () => {
  const kernel = new Kernel({ seed: 1 });
  kernel.host("node-0", { runs: "service" }).post("bug", () => {
    throw new Error("a mistake in a server");
  });
  await expect(kernel.run()).rejects.toThrow("a mistake in a server");
});

test("only one simulation runs at a time in a process", async () => {
  const [first, second] = [new Kernel({ seed: 1 }), new Kernel({ seed: 2 })];
  first.at(1, "x", () => {});
  const running = first.run();
  await expect(second.run()).rejects.toThrow("running in this process already");
  expect(await running).toBe("idle");
});

test("a signal of the real world interrupts", async () => {
  const kernel = new Kernel({ seed: 1 });
  kernel.host("client-0").spawn("main", async () => {
    for (;;) await sleep(1);
  });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5);
  expect(await kernel.run({ signal: controller.signal })).toBe("interrupted");
});

test("hosts have names of their own", () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("client-0");
  expect(kernel.hosts.get("client-0")).toBe(host);
  expect(() => kernel.host("client-0")).toThrow("there is a host named client-0 already");
});
