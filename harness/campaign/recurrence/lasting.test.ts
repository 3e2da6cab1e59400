import { describe, expect, test } from "vitest";
import type { Plan } from "../../core/plan.ts";
import { PROMISABLE } from "../../core/verdict.ts";
import type { Delays } from "./delays.ts";
import { requiredProperties } from "../required-properties.ts";
import { runSimulated } from "../run-simulated.ts";
import { plan } from "../../run/testing/plans.ts";
import { lasting, type LastingRun } from "./lasting.ts";
import { isObservable } from "./observable.ts";
import { isSameViolation } from "./same-violation.ts";

async function execute(plan: Plan, delays?: Delays): Promise<LastingRun> {
  const { record } = await runSimulated(plan, { title: "", required: ["mutual-exclusion"], delays });
  return { plan, record, verdict: record.verdict };
}

/** Client 0 outlives its lease while client 1 waits; which of them comes first is a matter of jitter. */
const section = { key: "k1", ttlMs: 300, tries: 1, release: true };
const racing: Plan = plan({
  lock: "single",
  clients: [
    { sections: [{ ...section, waitMs: 0, steps: [{ do: "hold", forMs: 400 }] }] },
    { sections: [{ ...section, waitMs: 600, steps: [{ do: "hold", forMs: 20 }] }] },
  ],
});

/** The first seed with which it fails: client 0 comes first. */
async function failingRun(): Promise<LastingRun> {
  for (let seed = 1; ; seed += 1) {
    const run = await execute({ ...racing, seed });
    if (run.verdict.verdict === "invalid") return run;
  }
}

describe("a counterexample that only some seeds show", () => {
  test("becomes one that all show, with the same violation", { tags: "long" }, async () => {
    const run = await failingRun();
    const before = await lasting(run, { execute, runs: 0 });
    expect(before.run).toBe(run);
    expect(before.otherSeeds?.failed).toBeLessThan(20);
    const { run: found, otherSeeds } = await lasting(run, { execute });
    expect(otherSeeds).toEqual({ failed: 20, of: 20 });
    expect(isSameViolation(run.verdict, found.verdict)).toBe(true);
    for (const seed of [101, 202, 303]) {
      expect((await execute({ ...found.plan, seed })).verdict.verdict).toBe("invalid");
    }
  });

  test("stays, if plans that more seeds show say less against the lock", async () => {
    const violation = { events: [], cause: "double-grant", explanation: "" } as const;
    const broken = { verdict: "invalid", violations: [violation] } as const;
    const run = await failingRun();
    const ofFound = (plan: Plan): string => JSON.stringify({ ...plan, seed: 0 });
    const judge = async (plan: Plan, delays?: Delays): Promise<LastingRun> => {
      const { record } = await execute(plan, delays);
      const isFound = ofFound(plan) === ofFound(run.plan);
      const properties = { linearizability: broken, ...(isFound ? { "lease-exclusion": broken } : {}) };
      const isBroken = !isFound || plan.seed === run.plan.seed;
      const verdict = { ...record.verdict, required: PROMISABLE, properties: isBroken ? properties : {} };
      return { plan, record, verdict: { ...verdict, verdict: isBroken ? "invalid" : "valid" } };
    };
    const { run: found } = await lasting(await judge(run.plan), { execute: judge });
    expect(found.plan).toEqual(run.plan);
  });

  test("has no client that does nothing, also if only another seed then shows it", async () => {
    const idle = { sections: [] };
    const [holder, waiter] = racing.clients;
    for (let seed = 1; ; seed += 1) {
      const run = await execute({ ...racing, seed, clients: [idle, holder!, idle, waiter!] });
      if (run.verdict.verdict !== "invalid") continue;
      const { run: found } = await lasting(run, { execute });
      expect(found.plan.clients).toHaveLength(2);
      expect(isSameViolation(run.verdict, found.verdict)).toBe(true);
      return;
    }
  });

  test(
    "of one workload among many is reduced to that one before it is run again and again",
    { tags: "long" },
    async () => {
      const [holder, waiter] = racing.clients;
      const calm = Array.from({ length: 8 }, (_, index) => ({
        sections: [{ ...section, key: `calm-${index}`, waitMs: 0, steps: [] }],
      }));
      const clients = [...calm.slice(0, 5), holder!, ...calm.slice(5), waiter!];
      for (let seed = 1; ; seed += 1) {
        const run = await execute({ ...racing, seed, clients });
        if (run.verdict.verdict !== "invalid") continue;
        const sizes: number[] = [];
        const { run: found } = await lasting(run, {
          execute: (plan, delays) => {
            sizes.push(plan.clients.length);
            return execute(plan, delays);
          },
        });
        expect(found.plan.clients).toHaveLength(2);
        expect(isSameViolation(run.verdict, found.verdict)).toBe(true);
        expect(sizes.filter((size) => size > 2)).toEqual([]);
        expect((await lasting(run, { execute, runs: 0 })).run).toBe(run);
        return;
      }
    },
  );

  test("does not rest on a head start, which the first command of a real process may take up", async () => {
    const [holder, waiter] = racing.clients;
    const sections = waiter!.sections.map((each) => ({ ...each, after: { atMs: 40 } }));
    const run = await execute({ ...racing, clients: [holder!, { sections }] });
    const { run: found } = await lasting(run, { execute });
    expect(found.plan.clients[1]?.sections[0]?.after).toMatchObject({ client: 0 });
  });

  test.each([
    ["of a race", 400],
    ["of a race in which all hold for a moment", 10],
  ])("%s becomes one in which a client is stopped between two commands", { tags: "long" }, async (_, forMs) => {
    const sections = [{ ...section, ttlMs: 1000, waitMs: 0, steps: [{ do: "hold" as const, forMs }] }];
    const after = { on: "acquire:invoke" as const, client: 0, afterMs: 0.6 };
    const late = sections.map((each) => ({ ...each, after }));
    const race = { ...racing, lock: "get-then-set", clients: [{ sections }, { sections: late }] };
    for (let seed = 1; ; seed += 1) {
      const run = await execute({ ...race, seed });
      if (run.verdict.verdict !== "invalid") continue;
      const { run: found, otherSeeds } = await lasting(run, { execute });
      expect(found.plan.faults).toMatchObject([{ kind: "pause-client", at: { moment: "before" } }]);
      expect(otherSeeds).toEqual({ failed: 20, of: 20 });
      return;
    }
  });

  test(
    "of a race for the first command becomes one in which the others begin when one client is stopped",
    { tags: "long" },
    async () => {
      const judge = async (plan: Plan, delays?: Delays): Promise<LastingRun> => {
        const { record } = await runSimulated(plan, { title: "", required: ["fencing-tokens"], delays });
        return { plan, record, verdict: record.verdict };
      };
      const sections = [{ ...section, ttlMs: 1200, waitMs: 3700, steps: [] }];
      const late = sections.map((each) => ({ ...each, after: { on: "acquire:invoke" as const, client: 0 } }));
      const race = { ...racing, lock: "fence-kept-over-retries", clients: [{ sections }, { sections: late }] };
      for (let seed = 1; ; seed += 1) {
        const run = await judge({ ...race, seed });
        if (run.verdict.verdict !== "invalid") continue;
        const { run: found, otherSeeds } = await lasting(run, { execute: judge });
        expect(otherSeeds).toEqual({ failed: 20, of: 20 });
        expect(found.plan.clients.map(({ sections: [first] }) => first?.after)).toContainEqual({
          on: "fault:start",
          fault: 0,
        });
        return;
      }
    },
  );

  test.each([
    ["setnx-expire", "kill-client", "client-0", { moment: "send", command: "PEXPIRE", client: 0 } as const],
    ["get-del", "pause-node", "node-0", { moment: "after", command: "GET", client: 0 } as const],
  ])(
    "of %s, by a moment that only a simulation sees, becomes one for real servers",
    { tags: "long" },
    async (lock, kind, target, at) => {
      const held = { ...section, ttlMs: 1000, waitMs: 0, steps: [{ do: "hold" as const, forMs: 900 }] };
      const later = (atMs: number) => ({ ...held, ttlMs: 3000, waitMs: 4000, after: { atMs } });
      const of: Plan = plan({
        lock,
        clients: [{ sections: [held] }, { sections: [later(1050)] }, { sections: [later(1400)] }],
        faults: [{ kind, params: { targets: [target] }, at, until: { ...at, afterMs: 200 } }],
      });
      const judge = async (plan: Plan, delays?: Delays): Promise<LastingRun> => {
        const required = ["lease-exclusion", "deadlock-freedom"] as const;
        const { record } = await runSimulated(plan, { title: "", required, delays });
        return { plan, record, verdict: record.verdict };
      };
      const run = await judge(of);
      expect(run.verdict.verdict).toBe("invalid");
      const { run: found } = await lasting(run, { execute: judge });
      expect(isObservable(found.plan)).toBe(true);
    },
  );

  test(
    "by a fault that comes at once becomes one that lasts where faults take some time",
    { tags: "long" },
    async () => {
      const judge = async (plan: Plan, delays?: Delays): Promise<LastingRun> => {
        const { record } = await runSimulated(plan, { title: "", required: ["deadlock-freedom"], delays });
        return { plan, record, verdict: record.verdict };
      };
      const asked = { on: "acquire:invoke" as const, client: 0 };
      const run = await judge(
        plan({
          lock: "setnx",
          clients: [
            { sections: [{ ...section, waitMs: 0, steps: [] }] },
            {
              sections: [
                { ...section, waitMs: 0, after: { ...asked, afterMs: 10 }, steps: [] },
                { ...section, waitMs: 2800, steps: [] },
              ],
            },
          ],
          faults: [{ kind: "kill-client", params: { targets: ["client-0"] }, at: { ...asked, afterMs: 0.1 } }],
        }),
      );
      expect(run.verdict.verdict).toBe("invalid");
      const real: Delays = { faultMs: 150, messageUs: { from: 500, to: 1_500 } };
      expect((await judge(run.plan, real)).verdict.verdict).not.toBe("invalid");
      const { run: found } = await lasting(run, { execute: judge });
      for (const seed of [101, 202, 303]) {
        expect((await judge({ ...found.plan, seed }, real)).verdict.verdict).toBe("invalid");
      }
    },
  );

  test("becomes the same one each time", async () => {
    const run = await failingRun();
    const [one, other] = [await lasting(run, { execute }), await lasting(run, { execute })];
    expect(one.run.plan).toEqual(other.run.plan);
    expect(one.run.plan).not.toEqual(run.plan);
  });

  test("is kept as it is when none lasts, and says so", async () => {
    const run = await failingRun();
    const onlyItself = async (plan: Plan): Promise<LastingRun> =>
      plan === run.plan ? run : { ...run, plan, verdict: { ...run.verdict, verdict: "valid" } };
    expect(await lasting(run, { execute: onlyItself })).toEqual({ run, otherSeeds: { failed: 0, of: 20 } });
  });

  test("stays, without a count, when there is no time", async () => {
    const run = await failingRun();
    expect(await lasting(run, { execute, isOver: () => true })).toEqual({ run });
  });

  test("takes no more runs than it may, beside those that count", async () => {
    const run = await failingRun();
    let runs = 0;
    await lasting(run, { execute, runs: 5, onRun: () => (runs += 1) });
    expect(runs).toBeLessThanOrEqual(28 + 5 + 28);
  });
});

describe("the same violation", () => {
  test("is of the same property, by the same cause, and decides", async () => {
    const { verdict } = await failingRun();
    expect(isSameViolation(verdict, verdict)).toBe(true);
    expect(isSameViolation(verdict, { ...verdict, required: requiredProperties(racing), verdict: "valid" })).toBe(
      false,
    );
    expect(isSameViolation(verdict, { ...verdict, required: ["fencing-tokens"] })).toBe(false);
    const { violations = [] } = verdict.properties["mutual-exclusion"] ?? {};
    const others = violations.map((violation) => ({ ...violation, cause: "eviction" as const }));
    const properties = { "mutual-exclusion": { verdict: "invalid" as const, violations: others } };
    expect(isSameViolation(verdict, { ...verdict, properties })).toBe(false);
  });
});
