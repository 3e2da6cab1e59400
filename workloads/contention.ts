import fc, { type Arbitrary } from "fast-check";
import type { Fault } from "../harness/core/fault.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../harness/core/plan.ts";
import type { Property } from "../harness/core/verdict.ts";
import type { TopologyKind, TopologySpec } from "../harness/core/topology.ts";
import { faultSchedules, faultStep } from "./fault-schedule.ts";

type ClientInput = PlanInput["clients"][number];
type SectionInput = ClientInput["sections"][number];
type StepInput = SectionInput["steps"][number];

export interface ContentionOptions {
  readonly lock: string;
  readonly topology: TopologySpec;
  /** The kinds of faults to draw from; none gives runs without faults. */
  readonly faults: readonly Fault[];
  readonly clients?: { readonly min: number; readonly max: number };
  readonly fencing?: boolean;
  /**
   * How long a client holds at the most, as a share of its TTL. Below 1 nobody outlives a lease but by a fault; above 1
   * clients do what no lock can make good.
   */
  readonly maxHoldShare?: number;
  /** Whether holders now and then acquire again what they hold: for locks that allow it. */
  readonly reenters?: boolean;
  /** Whether callers that were refused now and then try again: without that, locks that do not wait hardly contend. */
  readonly retries?: boolean;
}

/**
 * TTLs in milliseconds: short, so that leases end within a run, but long beside the time of an operation. Behind
 * Sentinels they are long beside a failover too, which takes one to two seconds, and ten until the old master is put
 * right: a lease that ends before cannot be lost in it.
 */
const TTLS_MS: Readonly<Record<TopologyKind, readonly number[]>> = {
  single: [300, 500, 800, 1200],
  redlock: [300, 500, 800, 1200],
  sentinel: [1500, 4000, 10_000],
  postgres: [500, 800, 1200],
  zookeeper: [1000, 2000, 4000],
};
/** Behind Sentinels a caller tries again while its servers fail over; elsewhere one failed try says enough. */
const TRIES: Readonly<Record<TopologyKind, number>> = { single: 1, redlock: 1, sentinel: 6, postgres: 1, zookeeper: 1 };
/** Of callers that try again: for longer than the shortest lease. */
const RETRIES = 8;
const MOST_SECTIONS = 3;
/** The largest hold, as a share of its TTL, where nobody outlives a lease but by a fault. */
const WITHIN_LEASE = 0.7;
/** The same where some do: what a lock does then is part of the picture, and no lock promises that away. */
export const BEYOND_LEASE = 1.3;
/** Beyond the longest lease, until a lock that nobody holds must have come free. */
const SETTLING_MS = 2500;

/**
 * Plans in which a few clients contend for one key, write to the guarded resource while they hold, and release, while
 * faults occur. Small: about ten operations.
 */
export function contentionPlans(options: ContentionOptions): Arbitrary<Plan> {
  const { min, max } = options.clients ?? { min: 2, max: 3 };
  // Shrinking goes through the fields in this order: faults are the first that can go.
  return fc
    .record({
      faults: faultSchedules(options.faults, options.topology, max),
      seeker: fc.option(fc.integer({ min: 0, max: max - 1 }), { freq: 3 }),
      clients: fc.array(clientPlan(options), { minLength: min, maxLength: max }),
      // No seed is simpler than another.
      seed: fc.noShrink(fc.integer({ min: 0, max: 0x7fff_ffff })),
    })
    .map(({ faults, seeker, clients: contenders, seed }) => {
      const clients = seeker === null ? contenders : withSeeker(contenders, seeker, options.topology.kind);
      return planSchema.parse({
        format: PLAN_FORMAT,
        version: PLAN_VERSION,
        seed,
        lock: options.lock,
        topology: options.topology,
        resource: { fencing: options.fencing ?? true },
        clients,
        faults: faults.map((fault) => faultStep(fault, clients)),
        limitMs: 30_000,
      });
    });
}

/**
 * How long clients should hold, given what is asked of the lock. Many flaws show when a lease ends while its holder is at
 * work. No lock promises that away, so it is left out where a property is asked for that it breaks by itself.
 */
export function maxHoldShareFor(required: readonly Property[]): number {
  return required.includes("mutual-exclusion") || required.includes("lost-updates") ? WITHIN_LEASE : BEYOND_LEASE;
}

/** One client seeks the lock at last for as long as it takes: a lock that never comes free shows itself so. */
function withSeeker(clients: readonly ClientInput[], seeker: number, kind: TopologyKind): ClientInput[] {
  const ttlMs = Math.max(...clients.flatMap(({ sections }) => sections.flatMap(longestTtlMs)));
  const last: SectionInput = { key: "k1", ttlMs, waitMs: ttlMs + SETTLING_MS, tries: TRIES[kind], steps: [] };
  return clients.map(({ sections }, index) => ({
    sections: index === seeker % clients.length ? [...sections, last] : sections,
  }));
}

function longestTtlMs({ ttlMs, steps }: SectionInput): number {
  return Math.max(ttlMs, ...steps.map((step) => ("ttlMs" in step ? step.ttlMs : 0)));
}

function clientPlan(options: ContentionOptions): Arbitrary<ClientInput> {
  return fc.record({ sections: fc.array(section(options), { minLength: 1, maxLength: MOST_SECTIONS }) });
}

function section({
  topology,
  maxHoldShare = WITHIN_LEASE,
  reenters = false,
  retries = false,
}: ContentionOptions): Arbitrary<SectionInput> {
  const { kind } = topology;
  const ttlMs = fc.constantFrom(...TTLS_MS[kind]);
  const share = holdPercent(maxHoldShare * 100);
  return fc
    .record({
      ttlMs,
      waitShare: fc.constantFrom(0, 0.5, 2, 4),
      writes: fc.integer({ min: 0, max: 2 }),
      holdPercent: share,
      reads: fc.boolean(),
      tries: retries ? fc.constantFrom(TRIES[kind], RETRIES) : fc.constant(TRIES[kind]),
      prolonging: fc.option(prolonging(ttlMs, share, reenters), { freq: 2 }),
    })
    .map(({ ttlMs, waitShare, writes, holdPercent, reads, tries, prolonging }) => ({
      key: "k1",
      ttlMs,
      waitMs: Math.round(waitShare * ttlMs),
      tries,
      steps: steps(writes, reads, [...hold((holdPercent / 100) * ttlMs), ...(prolonging ?? [])]),
    }));
}

/** The lease is set anew while it is held, by hand or by entering again, and held for a share of the new one. */
function prolonging(
  ttlMs: Arbitrary<number>,
  share: Arbitrary<number>,
  reenters: boolean,
): Arbitrary<readonly StepInput[]> {
  const extension = ttlMs.map((ttlMs) => ({ do: "extend" as const, ttlMs }));
  const reentry = fc
    .record({ ttlMs, steps: fc.array(extension, { maxLength: 1 }) })
    .map((inner) => ({ do: "reenter" as const, ...inner }));
  return fc
    .tuple(reenters ? fc.oneof(reentry, extension) : extension, share)
    .map(([step, holdPercent]) => [step, ...hold((holdPercent / 100) * step.ttlMs)]);
}

/** Often about as long as the lease: what a lock does then depends on how its steps interleave with the expiry. */
function holdPercent(most: number): Arbitrary<number> {
  // Not a double: those are drawn evenly by their bits, which makes nearly all of them nearly 0.
  const any = fc.integer({ min: 0, max: Math.round(most) });
  return most < 102 ? any : fc.oneof({ weight: 3, arbitrary: any }, fc.integer({ min: 80, max: 102 }));
}

/** Read first, then hold, with a write before and one after. */
function steps(writes: number, reads: boolean, holding: readonly StepInput[]): StepInput[] {
  return [
    ...(reads && writes > 0 ? [{ do: "read" as const }] : []),
    ...(writes > 1 ? [{ do: "write" as const }] : []),
    ...holding,
    ...(writes > 0 ? [{ do: "write" as const }] : []),
  ];
}

function hold(ms: number): StepInput[] {
  const forMs = Math.round(ms);
  return forMs > 0 ? [{ do: "hold", forMs }] : [];
}
