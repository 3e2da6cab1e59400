import { expect, test } from "vitest";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { inject } from "./testing/inject.ts";

/** A system whose node holds some keys and has its own memory settings. */
function systemWith(keys: number): FakeSystem {
  const system = new FakeSystem();
  let held = keys;
  system.node("node-0").reply = (command) => {
    if (command.endsWith("maxmemory 1")) held = 0;
    if (command === "CONFIG GET maxmemory") return ["maxmemory", "5000000"];
    if (command === "CONFIG GET maxmemory-policy") return ["maxmemory-policy", "noeviction"];
    return command === "DBSIZE" ? held : "OK";
  };
  return system;
}

test("leaves a node no memory for an instant, and everything else as it was", async () => {
  const system = systemWith(2);
  expect(await inject(system, "eviction", { targets: ["node-0"] })).toMatchObject({
    outcome: "installed",
    targets: ["node-0"],
    evidence: "node-0 evicted 2 of 2 keys",
  });
  expect(system.actions.filter((action) => action.includes("CONFIG SET"))).toEqual([
    "node-0 CONFIG SET maxmemory-policy allkeys-lru maxmemory 1",
    "node-0 CONFIG SET maxmemory 5000000 maxmemory-policy noeviction",
  ]);
});

test("was not seen on a node that held nothing", async () => {
  expect(await inject(systemWith(0), "eviction", { targets: ["node-0"] })).toMatchObject({ outcome: "indeterminate" });
});

test("was not seen on a node that did not answer", async () => {
  const system = new FakeSystem();
  system.node("node-0").reply = () => {
    throw new Error("closed");
  };
  expect(await inject(system, "eviction", { targets: ["node-0"] })).toMatchObject({
    outcome: "indeterminate",
    evidence: "node-0 could not be made short of memory: closed",
  });
});

test("with noeviction, a node as short of memory keeps what it holds", async () => {
  const system = systemWith(2);
  system.node("node-0").reply = (command) => (command === "DBSIZE" ? 2 : ["maxmemory", "5000000"]);
  expect(await inject(system, "eviction", { targets: ["node-0"], policy: "noeviction" })).toMatchObject({
    outcome: "installed",
    evidence: "node-0 evicted 0 of 2 keys",
  });
});
