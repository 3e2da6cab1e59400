import { expect, test } from "vitest";
import { UserError } from "../harness/core/errors.ts";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { heal, inject } from "./testing/inject.ts";

test("changes the rate of nodes and clients, and puts it right again", async () => {
  const system = new FakeSystem();
  const injected = await inject(system, "clock-rate", { targets: ["node-0", "client-1"], rate: 1.1 });
  expect(injected).toMatchObject({ outcome: "installed", targets: ["node-0", "client-1"] });
  expect((await heal(system, injected)).outcome).toBe("installed");
  expect(system.actions).toEqual([
    "node-0 setClockRate 1.1",
    "client-1 setClockRate 1.1",
    "client-1 setClockRate 1",
    "node-0 setClockRate 1",
  ]);
});

test("puts a clock right even if its process died", async () => {
  const system = new FakeSystem();
  const injected = await inject(system, "clock-rate", { targets: ["node-0"], rate: 0.5 });
  await system.node("node-0").kill();
  expect((await heal(system, injected)).outcome).toBe("installed");
});

test("is skipped where the backend cannot", async () => {
  const system = new FakeSystem();
  Object.assign(system.node("node-0"), { setClockRate: undefined });
  const injected = await inject(system, "clock-rate", { targets: ["client-0", "node-0"], rate: 2 });
  expect([injected.outcome, injected.heal, system.actions]).toEqual(["skipped", undefined, []]);
});

test.each([0, -1, 100])("refuses a rate of %d", async (rate) => {
  await expect(inject(new FakeSystem(), "clock-rate", { targets: ["node-0"], rate })).rejects.toThrow(UserError);
});
