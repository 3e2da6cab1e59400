import { describe, expect, test } from "vitest";
import { HarnessError, UserError } from "../harness/core/errors.ts";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { heal, inject } from "./testing/inject.ts";

describe.each([
  ["pause-client", { targets: ["client-1"] }, ["client-1 pause"], ["client-1 resume"]],
  ["pause-node", { targets: ["node-0"] }, ["node-0 pause"], ["node-0 resume"]],
  ["kill-node", { targets: ["node-0"] }, ["node-0 kill"], ["node-0 start with its data"]],
  ["kill-client", { targets: ["client-0"] }, ["client-0 kill"], undefined],
  ["restart-node", { targets: ["node-0"] }, ["node-0 kill", "node-0 start with its data"], undefined],
  ["restart-node", { targets: ["node-0"], keepData: false }, ["node-0 kill", "node-0 start empty"], undefined],
  ["clock-jump", { targets: ["node-0"], byMs: -2500 }, ["node-0 jumpClock -2500"], undefined],
  ["clock-jump", { targets: ["client-1"], byMs: 40 }, ["client-1 jumpClock 40"], undefined],
] as const)("%s %o", (kind, params, actions, undone) => {
  test("does its work and is installed when that was seen", async () => {
    const system = new FakeSystem();
    const injected = await inject(system, kind, params);
    expect(system.actions).toEqual(actions);
    expect(injected).toMatchObject({
      targets: params.targets,
      outcome: "installed",
      evidence: actions.map((action) => `saw ${action}`).join("; "),
    });
  });

  test("is indeterminate when any of it was not seen", async () => {
    for (const unseen of actions) {
      const system = new FakeSystem();
      system.observed = (action) => action !== unseen;
      const { outcome, evidence } = await inject(system, kind, params);
      expect(outcome).toBe("indeterminate");
      expect(evidence).toContain(`did not see ${unseen}`);
    }
  });

  test(undone === undefined ? "has nothing to heal" : "is undone by healing", async () => {
    const system = new FakeSystem();
    const injected = await inject(system, kind, params);
    if (undone === undefined) {
      expect(injected.heal).toBeUndefined();
      return;
    }
    const healed = await heal(system, injected);
    expect(system.actions.slice(actions.length)).toEqual(undone);
    expect(healed).toEqual({ outcome: "installed", evidence: undone.map((action) => `saw ${action}`).join("; ") });
  });

  test("says so when its healing was not seen", async () => {
    if (undone === undefined) return;
    const system = new FakeSystem();
    const injected = await inject(system, kind, params);
    system.observed = () => false;
    expect((await heal(system, injected)).outcome).toBe("indeterminate");
  });

  test("breaks the run when the harness is broken", async () => {
    const system = new FakeSystem();
    system.observed = () => {
      throw new HarnessError("the engine is gone");
    };
    await expect(inject(system, kind, params)).rejects.toThrow("the engine is gone");
  });

  test.each([{ targets: undefined }, { targets: [] }, { targets: "node-0" }, { target: "node-0" }])(
    "refuses %o",
    async (wrong) => {
      await expect(inject(new FakeSystem(), kind, { ...params, ...wrong })).rejects.toThrow(UserError);
    },
  );

  test("refuses a name that the run does not have", async () => {
    const wrong = { ...params, targets: ["node-7"] };
    await expect(inject(new FakeSystem(), kind, wrong)).rejects.toThrow('has no "node-7"');
  });
});

describe("targets", () => {
  test.each([
    ["masters", ["node-1"]],
    ["replicas", ["node-0", "node-2"]],
    ["nodes", ["node-0", "node-1", "node-2"]],
    ["sentinels", ["sentinel-0", "sentinel-1", "sentinel-2"]],
  ])("the role %s is resolved when the fault is injected", async (role, names) => {
    const system = new FakeSystem({ topology: "sentinel" });
    system.masters = ["node-1"];
    const { targets } = await inject(system, "pause-node", { targets: [role] });
    expect(targets).toEqual(names);
    expect(system.actions).toEqual(names.map((name) => `${name} pause`));
  });

  test("clients, roles and names together are each hit once", async () => {
    const system = new FakeSystem({ topology: "redlock" });
    const targets = ["node-3", "masters", "clients", "client-1"];
    const injected = await inject(system, "clock-jump", { targets, byMs: 1 });
    expect(injected.targets).toEqual(["node-3", "node-0", "node-1", "node-2", "node-4", "client-0", "client-1"]);
  });

  test("nodes are no clients, and clients no nodes", async () => {
    const system = new FakeSystem();
    await expect(inject(system, "pause-client", { targets: ["node-0"] })).rejects.toThrow(UserError);
    await expect(inject(system, "kill-node", { targets: ["client-0"] })).rejects.toThrow(UserError);
  });

  test("a role that nobody has leaves nothing to hit", async () => {
    const system = new FakeSystem();
    const injected = await inject(system, "pause-node", { targets: ["replicas"] });
    expect(injected).toEqual({ targets: [], outcome: "skipped", evidence: "there was no target to hit" });
  });
});

describe("healing", () => {
  test("goes in the opposite order", async () => {
    const system = new FakeSystem({ topology: "redlock" });
    const injected = await inject(system, "kill-node", { targets: ["node-2", "node-0", "node-4"] });
    await heal(system, injected);
    expect(system.actions.slice(3)).toEqual([
      "node-4 start with its data",
      "node-0 start with its data",
      "node-2 start with its data",
    ]);
  });
});

describe("faults that meet on a process", () => {
  test("leave alone what is not as they need it, and are skipped when nothing else is left", async () => {
    const system = new FakeSystem();
    await inject(system, "kill-node", { targets: ["node-0"] });
    for (const [kind, params] of [
      ["pause-node", {}],
      ["restart-node", {}],
      ["kill-node", {}],
      ["clock-jump", { byMs: 5 }],
    ] as const) {
      const injected = await inject(system, kind, { targets: ["node-0"], ...params });
      expect(injected).toEqual({
        targets: ["node-0"],
        outcome: "skipped",
        evidence: "node-0 is dead and was left alone",
      });
    }
    expect(system.actions).toEqual(["node-0 kill"]);
  });

  test("hit what is left, and heal only that", async () => {
    const system = new FakeSystem({ topology: "redlock" });
    await inject(system, "kill-node", { targets: ["node-1"] });
    const injected = await inject(system, "pause-node", { targets: ["node-0", "node-1"] });
    expect(injected).toMatchObject({
      targets: ["node-0"],
      outcome: "installed",
      evidence: "saw node-0 pause; node-1 is dead and was left alone",
    });
    await heal(system, injected);
    expect(system.actions).toEqual(["node-1 kill", "node-0 pause", "node-0 resume"]);
  });

  test("do not undo what another has overtaken", async () => {
    const system = new FakeSystem();
    const pause = await inject(system, "pause-node", { targets: ["node-0"] });
    const kill = await inject(system, "kill-node", { targets: ["node-0"] });
    expect(await heal(system, pause)).toEqual({ outcome: "installed", evidence: "node-0 is dead" });
    expect((await heal(system, kill)).evidence).toBe("saw node-0 start with its data");
  });

  test("at the same moment take their turns", async () => {
    const system = new FakeSystem();
    system.injectionMs = 20;
    const params = { targets: ["client-0"] };
    const [one, other] = await Promise.all([
      inject(system, "pause-client", params),
      inject(system, "pause-client", params),
    ]);
    expect([one.outcome, other.outcome]).toEqual(["installed", "skipped"]);
    expect(system.actions).toEqual(["client-0 pause"]);
  });

  test("do not fail with one another", async () => {
    const system = new FakeSystem();
    system.observed = (action) => {
      if (action === "node-0 jumpClock 1") throw new HarnessError("the engine is gone");
      return true;
    };
    await expect(inject(system, "clock-jump", { targets: ["node-0"], byMs: 1 })).rejects.toThrow(HarnessError);
    expect((await inject(system, "pause-node", { targets: ["node-0"] })).outcome).toBe("installed");
  });
});
