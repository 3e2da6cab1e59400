import "./install.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import dns from "node:dns";
import fs from "node:fs";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";
import { inHost } from "./testing/in-simulation.ts";

const storage = new AsyncLocalStorage<string>();

/** Ways to have something done later. Each tells its callback's store. */
const later: Readonly<Record<string, (done: () => void) => unknown>> = {
  setTimeout: (done) => setTimeout(done, 5),
  "a refreshed timeout": (done) => setTimeout(done, 5).refresh(),
  setInterval: (done) => {
    const interval = setInterval(() => {
      clearInterval(interval);
      done();
    }, 5);
  },
  setImmediate: (done) => setImmediate(done),
  "process.nextTick": (done) => process.nextTick(done),
  queueMicrotask: (done) => queueMicrotask(done),
  "a promise": async (done) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    done();
  },
  "fs.readFile": (done) => fs.readFile(import.meta.filename, () => done()),
  "fs.exists": (done) => fs.exists(import.meta.filename, () => done()),
  "dns.lookup": (done) => dns.lookup("localhost", () => done()),
  "crypto.randomBytes": (done) => crypto.randomBytes(4, () => done()),
  "crypto.scrypt": (done) => crypto.scrypt("secret", "salt", 8, () => done()),
};

const told = (way: (done: () => void) => unknown): Promise<string | undefined> =>
  new Promise((resolve) => {
    storage.run("of the caller", () => way(() => resolve(storage.getStore())));
  });

test.each(Object.keys(later))("%s calls back in the context of its caller, as outside", async (name) => {
  const way = later[name]!;
  expect(await inHost(() => told(way))).toBe("of the caller");
  expect(await told(way)).toBe("of the caller");
});

test("a context that a host enters reaches no other host", async () => {
  const kernel = new Kernel({ seed: 1 });
  const seen: unknown[] = [];
  const [first, second] = [kernel.host("client-0"), kernel.host("client-1")];
  first.spawn("main", () => storage.enterWith("of client-0"));
  second.spawn("main", () => seen.push(storage.getStore()));
  kernel.at(1000, "later", () => {
    second.post("input", () => seen.push(storage.getStore()));
  });
  await kernel.run();
  expect(seen).toEqual([undefined, undefined]);
  expect(storage.getStore()).toBeUndefined();
});
