import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faults } from "../faults/registry.ts";
import type { Fault } from "../harness/core/fault.ts";
import { planSchema, type Plan } from "../harness/core/plan.ts";
import { topologySchema } from "../harness/core/topology.ts";
import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import { type EventTrigger, isMessageTrigger, type Trigger } from "../harness/core/trigger.ts";
import { readyFaults } from "../harness/run/nemesis.ts";
import { BEYOND_LEASE, contentionPlans, type ContentionOptions } from "./contention.ts";

function plansFor(kind: TopologyKind, options: Partial<ContentionOptions> = {}): fc.Arbitrary<Plan> {
  return contentionPlans({ lock: "single", topology: topologySchema.parse({ kind }), faults, ...options });
}

const isEvent = (trigger: Trigger | undefined): trigger is EventTrigger => trigger !== undefined && "on" in trigger;

/** Every number of a client that a plan's schedule names. */
function namedClients({ faults }: Plan): readonly number[] {
  const inParams = JSON.stringify(faults.map(({ params }) => params)).matchAll(/client-(\d+)/g);
  const inTriggers = faults.flatMap(({ at, until }) => [at, until].filter(isEvent).map(({ client }) => client ?? 0));
  return [...[...inParams].map(([, index]) => Number(index)), ...inTriggers];
}

/** How often one client, or all of them, cause an event if all goes well. */
function occurrences({ clients }: Plan, { on, client }: EventTrigger): number {
  const sections = clients.filter((_, index) => client === undefined || client === index).flatMap((c) => c.sections);
  if (on.startsWith("acquire")) return sections.length;
  if (on.startsWith("release")) return sections.filter(({ release }) => release).length;
  const [operation] = on.split(":");
  return sections.flatMap(({ steps }) => steps).filter((step) => step.do === operation).length;
}

describe.each(["single", "sentinel", "redlock"] as const)("plans for %s", (kind) => {
  test("are plans, with faults that can be read, for clients that there are", () => {
    fc.assert(
      fc.property(plansFor(kind), (plan) => {
        expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
        expect(plan.clients.length).toBeGreaterThanOrEqual(2);
        expect(plan.clients.length).toBeLessThanOrEqual(3);
        readyFaults(plan.faults, faults);
        for (const client of namedClients(plan)) expect(client).toBeLessThan(plan.clients.length);
      }),
      { numRuns: 300 },
    );
  });

  test("end late enough for many clients to hold one after another", () => {
    const crowded = plansFor(kind, { clients: { min: 6, max: 6 }, maxHoldShare: BEYOND_LEASE });
    const heldMs = ({ clients }: Plan): number =>
      clients
        .flatMap(({ sections }) => sections.flatMap(({ steps }) => steps))
        .reduce((sum, step) => sum + (step.do === "hold" ? step.forMs : 0), 0);
    fc.assert(
      fc.property(crowded, (plan) => {
        expect(plan.limitMs).toBeGreaterThan(heldMs(plan));
      }),
      { numRuns: 300 },
    );
  });

  test("hang faults on events that can come, and heal them later", () => {
    fc.assert(
      fc.property(plansFor(kind), (plan) => {
        for (const { at, until } of plan.faults) {
          if (isEvent(at)) {
            expect(at.count).toBeLessThanOrEqual(occurrences(plan, at));
            expect(until).toEqual({ ...at, afterMs: expect.any(Number) as number });
          } else expect((until as { atMs: number }).atMs).toBeGreaterThan((at as { atMs: number }).atMs);
        }
      }),
      { numRuns: 300 },
    );
  });
});

test("faults wait for commands that the lock is known to send, of clients that there are, and heal later", () => {
  const commands = [
    { command: "SET", times: 2 },
    { command: "EVALSHA", times: 40 },
  ];
  const plans = fc.sample(plansFor("single", { commands, clients: { min: 2, max: 3 } }), { seed: 1, numRuns: 300 });
  const waiting = plans.flatMap(({ faults, clients }) =>
    faults.flatMap(({ at, until }) => (isMessageTrigger(at) ? [{ at, until, clients: clients.length }] : [])),
  );
  expect(new Set(waiting.map(({ at }) => `${at.moment} ${at.command}`)).size).toBe(8);
  for (const { at, until, clients } of waiting) {
    expect(at.client).toBeLessThan(clients);
    expect(at.count).toBeLessThanOrEqual(at.command === "SET" ? 2 : 6);
    expect(until).toEqual({ ...at, afterMs: expect.any(Number) as number });
  }
});

describe("what is drawn", () => {
  const drawn = fc.sample(plansFor("redlock"), { seed: 1, numRuns: 500 });

  test("has faults in nine of ten plans, up to three of them, every kind that can be", () => {
    const counts = drawn.map((plan) => plan.faults.length);
    expect(counts.filter((count) => count === 0).length).toBeGreaterThan(20);
    expect(counts.filter((count) => count === 0).length).toBeLessThan(100);
    expect(new Set(counts)).toEqual(new Set([0, 1, 2, 3]));
    const kinds = new Set(drawn.flatMap((plan) => plan.faults.map(({ kind }) => kind)));
    expect([...kinds].toSorted()).toEqual(
      faults
        .filter((fault) => fault.arbitrary(topologySchema.parse({ kind: "redlock" }), 3) !== undefined)
        .map(({ kind }) => kind)
        .toSorted(),
    );
  });

  test("is of one kind of fault now and then: a few kinds are drawn first", () => {
    const many = drawn.filter((plan) => plan.faults.length === 3);
    const uniform = many.filter((plan) => new Set(plan.faults.map(({ kind }) => kind)).size === 1);
    // Ten kinds drawn independently would be the same three times in one plan of a hundred.
    expect(uniform.length / many.length).toBeGreaterThan(0.04);
  });

  test("is about ten operations", () => {
    const operations = drawn.map(({ clients }) =>
      clients
        .flatMap(({ sections }) => sections)
        .reduce(
          (sum, { steps, release }) => sum + 1 + steps.filter((s) => s.do !== "hold").length + Number(release),
          0,
        ),
    );
    const mean = operations.reduce((sum, count) => sum + count, 0) / operations.length;
    expect(mean).toBeGreaterThan(8);
    expect(mean).toBeLessThan(20);
  });

  test("is the same for the same seed, and another for another", () => {
    const sample = (seed: number): Plan[] => fc.sample(plansFor("redlock"), { seed, numRuns: 20 });
    expect(sample(1)).toEqual(drawn.slice(0, 20));
    expect(sample(2)).not.toEqual(drawn.slice(0, 20));
  });
});

describe("options", () => {
  test.each([0.3, 0.7, 2])("nobody holds longer than the share %d of the TTL, or of its extension", (maxHoldShare) => {
    const shares: number[] = [];
    fc.assert(
      fc.property(plansFor("single", { maxHoldShare }), ({ clients }) => {
        for (const { ttlMs, steps } of clients.flatMap(({ sections }) => sections)) {
          let leaseMs = ttlMs;
          for (const step of steps) {
            if (step.do === "extend") leaseMs = step.ttlMs;
            if (step.do !== "hold") continue;
            // Holds are whole milliseconds.
            expect(step.forMs).toBeLessThanOrEqual(leaseMs * maxHoldShare + 0.5);
            shares.push(step.forMs / leaseMs);
          }
        }
      }),
      { seed: 1 },
    );
    expect(Math.max(...shares)).toBeGreaterThan(maxHoldShare * 0.8);
  });

  test("lock, topology, fencing and the number of clients are as asked for", () => {
    const topology = topologySchema.parse({ kind: "redlock", persistence: "always" });
    const clients = { min: 4, max: 5 };
    fc.assert(
      fc.property(contentionPlans({ lock: "./mine.ts", topology, faults, fencing: false, clients }), (plan) => {
        expect(plan).toMatchObject({ lock: "./mine.ts", topology, resource: { fencing: false } });
        expect([4, 5]).toContain(plan.clients.length);
        for (const client of namedClients(plan)) expect(client).toBeLessThan(plan.clients.length);
      }),
    );
  });

  test("only the kinds of faults that were given occur, and none where none was or none can", () => {
    const some = faults.filter(({ kind }) => kind === "stall" || kind === "failover");
    const kindsOf = (kind: TopologyKind, chosen: readonly Fault[]): string[] => {
      const plans = fc.sample(plansFor(kind, { faults: chosen }), { seed: 1, numRuns: 100 });
      return [...new Set(plans.flatMap((plan) => plan.faults.map((fault) => fault.kind)))].toSorted();
    };
    expect(kindsOf("sentinel", some)).toEqual(["failover", "stall"]);
    expect(kindsOf("single", some)).toEqual(["stall"]);
    expect(kindsOf("single", [])).toEqual([]);
    expect(
      kindsOf(
        "single",
        some.filter(({ kind }) => kind === "failover"),
      ),
    ).toEqual([]);
  });
});

describe("shrinking", () => {
  /** The smallest plan for which `fails` holds, and the plans that were tried since the first for which it did. */
  function shrink(fails: (plan: Plan) => boolean): { readonly plan: Plan; readonly tried: readonly Plan[] } {
    const tried: Plan[] = [];
    const property = fc.property(plansFor("sentinel"), (plan) => {
      const failed = fails(plan);
      if (failed || tried.length > 0) tried.push(plan);
      return !failed;
    });
    const [plan] = fc.check(property, { seed: 3, numRuns: 1000 }).counterexample ?? [];
    if (plan === undefined) throw new Error("no plan failed");
    return { plan, tried };
  }

  test("leaves out the faults first", () => {
    let begun = false;
    const { plan, tried } = shrink(({ clients, faults }) => {
      begun ||= faults.length === 3;
      return begun && clients.some(({ sections }) => sections.length > 1);
    });
    expect(plan.faults).toEqual([]);
    expect(plan.clients.map(({ sections }) => sections.length).toSorted((a, b) => a - b)).toEqual([1, 2]);
    expect(tried[1]?.faults).toEqual([]);
  });

  test("keeps the one fault that matters", () => {
    const { plan } = shrink((plan) => plan.faults.some(({ kind }) => kind === "failover"));
    expect(plan.faults.map(({ kind }) => kind)).toEqual(["failover"]);
    expect(plan.clients.map(({ sections }) => sections.length)).toEqual([1, 1]);
    expect(plan.clients.flatMap(({ sections }) => sections.flatMap(({ steps }) => steps))).toEqual([]);
  });

  test("does not spend itself on the seed", () => {
    const { tried } = shrink(({ faults }) => faults.length > 0);
    expect(new Set(tried.map(({ seed }) => seed)).size).toBe(1);
    expect(tried.length).toBeLessThan(60);
  });
});

describe.each([1, 1000])("where leases are multiples of %i ms", (ttlGranularityMs) => {
  const leases = { extend: "none", ttlGranularityMs, waits: false } as const;

  test("callers of a lock that does not wait try again for as long as others would wait", () => {
    const plans = fc.sample(plansFor("single", { retries: true, leases }), { numRuns: 60, seed: 1 });
    // The last section may be the one that seeks the lock until the end.
    const sections = plans.flatMap(({ clients }) => clients.flatMap(({ sections }) => sections.slice(0, -1)));
    expect(sections.every(({ waitMs }) => waitMs === 0)).toBe(true);
    // Tries are 50 ms apart: some go on until the lease of another holder is over, others give up at once.
    expect(sections.some(({ tries, ttlMs }) => tries * 50 >= 2 * ttlMs)).toBe(true);
    expect(sections.some(({ tries }) => tries === 1)).toBe(true);
  });
});
