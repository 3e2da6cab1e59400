import { expect, test } from "vitest";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { inject } from "./testing/inject.ts";

test("takes the power and gives it back", async () => {
  const system = new FakeSystem({ topology: "redlock" });
  const injected = await inject(system, "power-loss", { targets: ["node-1"] });
  expect(system.actions).toEqual(["node-1 losePower", "node-1 start with its data"]);
  expect(injected).toMatchObject({
    targets: ["node-1"],
    outcome: "installed",
    evidence: "saw node-1 losePower; saw node-1 start with its data",
  });
  expect(injected.heal).toBeUndefined();
});

test.each(["node-0 losePower", "node-0 start with its data"])(
  "is indeterminate when %s was not seen",
  async (unseen) => {
    const system = new FakeSystem();
    system.observed = (action) => action !== unseen;
    expect((await inject(system, "power-loss", { targets: ["node-0"] })).outcome).toBe("indeterminate");
  },
);

test("leaves the dead alone", async () => {
  const system = new FakeSystem();
  await system.node("node-0").kill();
  expect(await inject(system, "power-loss", { targets: ["node-0"] })).toMatchObject({
    outcome: "skipped",
    evidence: "node-0 is dead and was left alone",
  });
});

test("is skipped where the backend cannot", async () => {
  const system = new FakeSystem();
  Object.assign(system.node("node-0"), { losePower: undefined });
  const { outcome } = await inject(system, "power-loss", { targets: ["node-0"] });
  expect([outcome, system.actions]).toEqual(["skipped", []]);
});
