import "./install.ts";
import { setTimeout as sleep } from "node:timers/promises";
import v8 from "node:v8";
import vm from "node:vm";
import { expect, test } from "vitest";
import { inHost } from "./testing/in-simulation.ts";

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc") as () => void;

/** Drops an object that a registry and a reference watch, and says what they know of it after it was collected. */
async function dropped(): Promise<readonly unknown[]> {
  const told: string[] = [];
  const registry = new FinalizationRegistry((name: string) => told.push(name));
  const kept = {};
  let object: object | undefined = { name: "dropped" };
  const reference = new WeakRef(object);
  registry.register(object, "dropped");
  registry.register(kept, "kept", kept);
  object = undefined;
  await sleep(1);
  collectGarbage();
  await sleep(1);
  return [told, reference.deref() === undefined, registry.unregister(kept), registry instanceof FinalizationRegistry];
}

test("garbage is collected at real times, so a program in a host never learns of it", async () => {
  expect(await inHost(dropped)).toEqual([[], false, true, true]);
  expect(await dropped()).toEqual([["dropped"], true, true, true]);
});
