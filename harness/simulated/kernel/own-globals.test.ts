import "../platform/install.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { notingGlobals } from "../../client/globals-of-drivers.ts";
import { Kernel } from "./kernel.ts";
import { OwnGlobals } from "./own-globals.ts";

const holder = globalThis as typeof globalThis & { mine?: string; world?: string; driver?: string };
const reflect = (): { mine?: string } => Reflect as unknown as { mine?: string };

/** Runs a program on two hosts, each a process with globals of its own. */
async function onTwo(program: (name: string) => Promise<void>, isolated = true): Promise<void> {
  const kernel = new Kernel({ seed: 1 });
  for (const name of ["client-0", "client-1"]) {
    const host = kernel.host(name);
    if (isolated) host.globals = new OwnGlobals();
    host.globals?.giveReflect();
    host.spawn("main", () => program(name));
  }
  await kernel.run();
}

test("what a program puts on globalThis is its own, as long as it runs", async () => {
  const seen: unknown[] = [];
  for (let run = 0; run < 2; run += 1) {
    await onTwo(async (name) => {
      seen.push("mine" in holder);
      holder.mine ??= name;
      for (let round = 0; round < 100; round += 1) await sleep(1);
      seen.push(holder.mine);
    });
    expect("mine" in holder).toBe(false);
  }
  expect(seen).toEqual([false, false, "client-0", "client-1", false, false, "client-0", "client-1"]);
});

test("so is what it puts on Reflect, which does as before", async () => {
  const real = Reflect;
  const seen: unknown[] = [];
  await onTwo(async (name) => {
    reflect().mine ??= name;
    await sleep(1);
    seen.push(reflect().mine, Reflect.ownKeys({ a: 1 }), Object.prototype.toString.call(Reflect));
  });
  expect(seen).toEqual(["client-0", ["a"], "[object Reflect]", "client-1", ["a"], "[object Reflect]"]);
  expect(Reflect).toBe(real);
  expect(reflect().mine).toBeUndefined();
});

test("what is there in the real world everybody sees, also what came later, and a program without globals of its own adds to it", async () => {
  await onTwo(async () => {});
  holder.world = "real";
  const seen: unknown[] = [];
  try {
    await onTwo(async () => void seen.push(holder.world));
    expect(seen).toEqual(["real", "real"]);
    expect(holder.world).toBe("real");
    await onTwo(async (name) => void (holder.mine ??= name), false);
    expect(holder.mine).toBe("client-0");
  } finally {
    delete holder.world;
    delete holder.mine;
  }
});

test("what the harness's own loading of a driver put there is the real world's alone", async () => {
  const seen: unknown[] = [];
  await notingGlobals(async () => void (holder.driver = "real"));
  try {
    for (let run = 0; run < 2; run += 1) {
      await onTwo(async (name) => {
        seen.push("driver" in holder);
        holder.driver ??= name;
        await sleep(1);
        seen.push(holder.driver);
      });
      expect(holder.driver).toBe("real");
      await onTwo(async () => void seen.push(holder.driver), false);
    }
    expect(seen.slice(0, 6)).toEqual([false, false, "client-0", "client-1", "real", "real"]);
    expect(seen.slice(6)).toEqual(seen.slice(0, 6));
  } finally {
    delete holder.driver;
  }
});

test("what cannot be removed is everybody's", async () => {
  const key = Symbol("fixed");
  const seen: unknown[] = [];
  await onTwo(async (name) => {
    if (!(key in globalThis)) Object.defineProperty(globalThis, key, { value: name });
    await sleep(1);
    seen.push(Reflect.get(globalThis, key));
  });
  expect(seen).toEqual(["client-0", "client-0"]);
});

test("programs that add the same names have values of their own, also by accessors and after they change", async () => {
  const names = ["mine", "world"] as const;
  const seen: Record<string, unknown[]> = {};
  await onTwo(async (name) => {
    const mine: unknown[] = (seen[name] = []);
    holder.mine = name;
    Object.defineProperty(holder, "world", { get: () => `world of ${name}`, configurable: true });
    await sleep(1);
    mine.push(...names.map((each) => holder[each]));
    holder.mine = `changed by ${name}`;
    Object.defineProperty(holder, "world", { value: `value of ${name}`, configurable: true });
    await sleep(1);
    mine.push(...names.map((each) => holder[each]), Object.getOwnPropertyDescriptor(holder, "world")?.enumerable);
    if (name === "client-0") delete holder.mine;
    await sleep(1);
    mine.push("mine" in holder);
  });
  for (const name of ["client-0", "client-1"]) {
    expect(seen[name]).toEqual([
      ...[name, `world of ${name}`, `changed by ${name}`, `value of ${name}`],
      ...[false, name === "client-1"],
    ]);
  }
  expect("mine" in holder || "world" in holder).toBe(false);
});

test("a value that a program changes later is its own too", async () => {
  const seen: unknown[] = [];
  await onTwo(async (name) => {
    holder.mine = name;
    await sleep(1);
    await sleep(1);
    holder.mine = `later ${name}`;
    await sleep(1);
    seen.push(holder.mine);
  });
  expect(seen).toEqual(["later client-0", "later client-1"]);
});
