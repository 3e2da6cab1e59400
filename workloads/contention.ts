import fc, { type Arbitrary } from "fast-check";
import type { Fault } from "../harness/core/fault.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../harness/core/plan.ts";
import type { TopologyKind, TopologySpec } from "../harness/core/topology.ts";
import { faultSchedules, faultStep } from "./fault-schedule.ts";

type SectionInput = PlanInput["clients"][number]["sections"][number];
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
};
/** Behind Sentinels a caller tries again while its servers fail over; elsewhere one failed try says enough. */
const TRIES: Readonly<Record<TopologyKind, number>> = { single: 1, redlock: 1, sentinel: 6 };
const MOST_SECTIONS = 3;

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
      clients: fc.array(clientPlan(options.topology.kind, options.maxHoldShare ?? 0.7), {
        minLength: min,
        maxLength: max,
      }),
      // No seed is simpler than another.
      seed: fc.noShrink(fc.integer({ min: 0, max: 0x7fff_ffff })),
    })
    .map(({ faults, clients, seed }) =>
      planSchema.parse({
        format: PLAN_FORMAT,
        version: PLAN_VERSION,
        seed,
        lock: options.lock,
        topology: options.topology,
        resource: { fencing: options.fencing ?? true },
        clients,
        faults: faults.map((fault) => faultStep(fault, clients)),
        limitMs: 30_000,
      }),
    );
}

function clientPlan(topology: TopologyKind, maxHoldShare: number): Arbitrary<{ sections: SectionInput[] }> {
  return fc.record({ sections: fc.array(section(topology, maxHoldShare), { minLength: 1, maxLength: MOST_SECTIONS }) });
}

function section(topology: TopologyKind, maxHoldShare: number): Arbitrary<SectionInput> {
  return fc
    .record({
      ttlMs: fc.constantFrom(...TTLS_MS[topology]),
      waitShare: fc.constantFrom(0, 0.5, 2, 4),
      writes: fc.integer({ min: 0, max: 2 }),
      // Not a double: those are drawn evenly by their bits, which makes nearly all of them nearly 0.
      holdPercent: fc.integer({ min: 0, max: Math.round(maxHoldShare * 100) }),
      reads: fc.boolean(),
    })
    .map(({ ttlMs, waitShare, writes, holdPercent, reads }) => ({
      key: "k1",
      ttlMs,
      waitMs: Math.round(waitShare * ttlMs),
      tries: TRIES[topology],
      steps: steps(writes, Math.round((holdPercent / 100) * ttlMs), reads),
    }));
}

/** Read first, then hold, with a write before and one after. */
function steps(writes: number, holdMs: number, reads: boolean): StepInput[] {
  return [
    ...(reads && writes > 0 ? [{ do: "read" as const }] : []),
    ...(writes > 1 ? [{ do: "write" as const }] : []),
    ...(holdMs > 0 ? [{ do: "hold" as const, forMs: holdMs }] : []),
    ...(writes > 0 ? [{ do: "write" as const }] : []),
  ];
}
