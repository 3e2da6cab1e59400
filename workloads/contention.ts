import fc, { type Arbitrary } from "fast-check";
import type { Fault } from "../harness/core/fault.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../harness/core/plan.ts";
import type { Property } from "../harness/core/verdict.ts";
import { topologyOf } from "../harness/core/topologies/registry.ts";
import type { TopologySpec } from "../harness/core/topology.ts";
import type { Supports } from "../harness/core/sharing.ts";
import { inQueue, queues } from "./queues.ts";
import { limitForClients } from "./run-limit.ts";
import { isShareable, type AssignShares, shares } from "./sharing.ts";
import { faultSchedules, faultStep, type SentCommand } from "./fault-schedule.ts";
import { hasTasks, tasks } from "./tasks.ts";

type ClientInput = PlanInput["clients"][number];
type SectionInput = ClientInput["sections"][number];
type StepInput = SectionInput["steps"][number];
type ReentryInput = Extract<StepInput, { readonly do: "reenter" }>;
type StepOfReentry = ReentryInput["steps"][number];

export interface ContentionOptions {
  readonly lock: string;
  readonly topology: TopologySpec;
  /** The kinds of faults to draw from; an empty list gives runs without faults. */
  readonly faults: readonly Fault[];
  readonly clients?: { readonly min: number; readonly max: number };
  readonly fencing?: boolean;
  /**
   * The longest hold of a client, as a share of its TTL. Below 1 a client outlives its lease only because of a fault;
   * above 1 clients do so by themselves, which no lock can make good.
   */
  readonly maxHoldShare?: number | undefined;
  /** Whether holders sometimes acquire again what they hold: for locks that allow it. */
  readonly reenters?: boolean;
  /** Whether clients sometimes release, and extend, what they have released: for drivers that answer to that. Default: never. */
  readonly answersTwice?: boolean | undefined;
  /** What clients of the lock send to servers, as far as it is known: faults then wait for these commands too. */
  readonly commands?: readonly SentCommand[] | undefined;
  /** What the lock supports: then its key is a semaphore or a read-write lock. */
  readonly supports?: Supports | undefined;
  /** Whether refused callers sometimes try again: without that, clients of locks that do not wait hardly contend. */
  readonly retries?: boolean;
  /** Whether clients mostly come one after another, into a queue, if the lock supports `fair`. Default: all begin at once. */
  readonly makesQueues?: boolean;
  /** What can be asked of the lock's leases. Default: everything. */
  readonly leases?: LeaseSkills;
}

/** What a lock can do with leases. */
export interface LeaseSkills {
  /** `same`: an extension always gives the lease its first length again. */
  readonly extend: "none" | "same" | "any";
  /** Leases are whole multiples of this many milliseconds. */
  readonly ttlGranularityMs: number;
  /** Whether `acquire` can wait for another holder. A caller then tries again by itself instead. */
  readonly waits: boolean;
}

/** The tries of callers that try again: they go on for longer than the shortest lease. */
const RETRIES = 8;
/** Tries are about so far apart, when each is refused at once. */
const BETWEEN_TRIES_MS = 50;
const EVERYTHING: LeaseSkills = { extend: "any", ttlGranularityMs: 1, waits: true };
const MOST_SECTIONS = 3;
/** The longest hold, as a share of its TTL, if a client outlives its lease only because of a fault. */
const WITHIN_LEASE = 0.7;
/**
 * The same if some clients outlive their leases by themselves: a lock's behaviour then is part of the test, and no lock
 * promises to prevent it.
 */
export const BEYOND_LEASE = 1.3;
/** How long after the longest lease a lock that nobody holds must be free. */
const SETTLING_MS = 2500;

/**
 * Plans in which a few clients contend for one key, write to the guarded resource while they hold, and release, while
 * faults occur. Small: about ten operations.
 */
export function contentionPlans(options: ContentionOptions): Arbitrary<Plan> {
  // More clients than the permits of most semaphores, and a holder with a queue.
  const isForMany = options.supports?.fair === true || isShareable(options.supports);
  const { min, max } = options.clients ?? { min: 2, max: isForMany ? 4 : 3 };
  const { workload } = topologyOf(options.topology.kind);
  // Shrinking goes through the fields in this order, so it removes faults first.
  return fc
    .record({
      faults: faultSchedules(options.faults, options.topology, max, options.commands),
      seeker: fc.option(fc.integer({ min: 0, max: max - 1 }), { freq: 3 }),
      clients: fc.array(clientPlan(options), { minLength: min, maxLength: max }),
      // No seed is simpler than another.
      seed: fc.noShrink(fc.integer({ min: 0, max: 0x7fff_ffff })),
      ...(isShareable(options.supports) ? { share: fc.noShrink(shares(options.supports)) } : {}),
      ...(hasTasks(options.supports) ? { ofTasks: tasks(max) } : {}),
      ...(options.makesQueues === true && options.supports?.fair === true ? { queue: queues } : {}),
    })
    .map(({ faults: drawn, seeker, clients: drawnClients, seed, share = alone, ofTasks = alone, queue = null }) => {
      const contenders = ofTasks(drawnClients);
      const faults = queue?.isQuiet === true ? [] : drawn;
      const ordered = queue === null ? contenders : inQueue(contenders, queue, longestLeaseMs(options));
      const clients = share(
        seeker === null ? ordered : withSeeker(ordered, seeker, workload.tries, options.leases ?? EVERYTHING),
      );
      return planSchema.parse({
        format: PLAN_FORMAT,
        version: PLAN_VERSION,
        seed,
        lock: options.lock,
        topology: options.topology,
        resource: { fencing: options.fencing ?? true },
        clients,
        faults: faults.map((fault) => faultStep(fault, clients)),
        limitMs: limitForClients(options.topology.kind, clients),
      });
    });
}

/**
 * How long clients should hold, given the properties that the lock must keep. Many flaws show when a lease ends while
 * its holder works. No lock promises to prevent that, so it is left out if it would by itself break a required
 * property.
 */
export function maxHoldShareFor(required: readonly Property[]): number {
  return required.includes("mutual-exclusion") || required.includes("lost-updates") ? WITHIN_LEASE : BEYOND_LEASE;
}

/** One owner holds the key at a time. */
const alone: AssignShares = (clients) => [...clients];

function longestLeaseMs({ topology, leases = EVERYTHING }: ContentionOptions): number {
  return Math.max(...wholeTtls(topologyOf(topology.kind).workload.ttlsMs, leases));
}

/** At the end one client seeks the lock for as long as it takes: this shows a lock that is never freed. */
function withSeeker(
  clients: readonly ClientInput[],
  seeker: number,
  tries: number,
  leases: LeaseSkills,
): ClientInput[] {
  const ttlMs = Math.max(...clients.flatMap(({ sections }) => sections.flatMap(longestTtlMs)));
  const seekMs = ttlMs + SETTLING_MS;
  const last: SectionInput = { key: "k1", ttlMs, ...waiting(seekMs, tries, leases), steps: [] };
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
  answersTwice = false,
  retries = false,
  leases = EVERYTHING,
}: ContentionOptions): Arbitrary<SectionInput> {
  const { ttlsMs, tries } = topologyOf(topology.kind).workload;
  const ttlMs = fc.constantFrom(...wholeTtls(ttlsMs, leases));
  const share = holdPercent(maxHoldShare * 100);
  return fc
    .record({
      ttlMs,
      waitShare: fc.constantFrom(0, 0.5, 2, 4),
      writes: fc.integer({ min: 0, max: 2 }),
      holdPercent: share,
      reads: fc.boolean(),
      tries: retries ? fc.constantFrom(tries, RETRIES) : fc.constant(tries),
      prolongings: fc.option(prolongings(ttlMs, share, reenters), { freq: 2, nil: NONE }),
      ...(answersTwice ? { afterwards: fc.option(afterwards, { freq: 5 }) } : {}),
    })
    .map(({ ttlMs, waitShare, writes, holdPercent, reads, tries, prolongings, afterwards = null }) => ({
      key: "k1",
      ttlMs,
      ...waiting(Math.round(waitShare * ttlMs), tries, leases),
      steps: [
        ...steps(writes, reads, [
          ...hold((holdPercent / 100) * ttlMs),
          ...prolongings.flatMap((prolonging) => prolonged(prolonging, ttlMs, leases)),
        ]),
        ...(afterwards === null ? [] : afterRelease(afterwards, ttlMs, leases)),
      ],
    }));
}

/** What a client does with a hold that it has released: it waits, extends perhaps, and releases again at the end of its section. */
const afterwards = fc.record({ waitShare: fc.constantFrom(0.1, 0.3, 0.6), extends: fc.boolean() });

function afterRelease(
  { waitShare, extends: extendsToo }: { readonly waitShare: number; readonly extends: boolean },
  ttlMs: number,
  { extend }: LeaseSkills,
): readonly StepInput[] {
  const wait = hold(waitShare * ttlMs);
  return [{ do: "release" }, ...wait, ...(extendsToo && extend !== "none" ? [sameAgain(ttlMs), ...wait] : [])];
}

/** A wait for another holder. Where the lock does not wait, its caller tries again for as long. */
function waiting(waitMs: number, tries: number, { waits }: LeaseSkills): Pick<SectionInput, "waitMs" | "tries"> {
  if (waits) return { waitMs, tries };
  return { waitMs: 0, tries: Math.max(tries, Math.ceil(waitMs / BETWEEN_TRIES_MS)) };
}

/** The lengths of leases that the lock can have: each rounded up. */
function wholeTtls(ttlsMs: readonly number[], { ttlGranularityMs }: LeaseSkills): readonly number[] {
  return [...new Set(ttlsMs.map((ttlMs) => Math.ceil(ttlMs / ttlGranularityMs) * ttlGranularityMs))];
}

/** How a holder renews its lease, and for which share of the new lease it then holds. */
interface Prolonging {
  readonly step: { readonly do: "extend"; readonly ttlMs: number } | ReentryInput;
  readonly holdPercent: number;
}

const NONE: readonly Prolonging[] = [];

/** Its steps, for a lease of this length, as far as the lock can do them. */
function prolonged({ step, holdPercent }: Prolonging, ttlMs: number, { extend }: LeaseSkills): readonly StepInput[] {
  if (step.do === "reenter")
    return [{ ...step, steps: possible(step, extend) }, ...hold((holdPercent / 100) * step.ttlMs)];
  if (extend === "none") return [];
  const extension = extend === "same" ? sameAgain(ttlMs) : step;
  return [extension, ...hold((holdPercent / 100) * extension.ttlMs)];
}

/** The steps of a re-entry that the lock can do. */
function possible({ ttlMs, steps }: ReentryInput, extend: LeaseSkills["extend"]): ReentryInput["steps"] {
  return steps.flatMap((step) => {
    if (step.do !== "extend" || extend === "any") return [step];
    return extend === "none" ? [] : [sameAgain(ttlMs)];
  });
}

function sameAgain(ttlMs: number): { readonly do: "extend"; readonly ttlMs: number } {
  return { do: "extend", ttlMs };
}

/** How often a holder renews its lease at most, where it can do so in two ways. */
const MOST_PROLONGINGS = 3;

/** The holder renews the lease, by an extension or a re-entry, and holds for a share of the new lease. */
function prolongings(
  ttlMs: Arbitrary<number>,
  share: Arbitrary<number>,
  reenters: boolean,
): Arbitrary<readonly Prolonging[]> {
  const extension = ttlMs.map((ttlMs) => ({ do: "extend" as const, ttlMs }));
  const one = fc
    .tuple(reenters ? fc.oneof(reentry(ttlMs, share, extension), extension) : extension, share)
    .map(([step, holdPercent]): Prolonging => ({ step, holdPercent }));
  return reenters ? fc.array(one, { minLength: 1, maxLength: MOST_PROLONGINGS }) : one.map(only);
}

/** The holder enters again: meanwhile it extends the lease, waits for a share of it, or enters once more. */
function reentry(
  ttlMs: Arbitrary<number>,
  share: Arbitrary<number>,
  extension: Arbitrary<StepOfReentry>,
): Arbitrary<ReentryInput> {
  const wait = fc.tuple(ttlMs, share).map(([lease, percent]) => hold((percent / 100) * lease));
  const inner = ttlMs.map((innerMs) => ({ do: "reenter" as const, ttlMs: innerMs, steps: [] }));
  const some = fc.oneof(extension.map(only), wait, inner.map(only));
  return fc
    .record({ ttlMs, steps: fc.array(some, { maxLength: 2 }) })
    .map(({ steps, ...rest }) => ({ do: "reenter" as const, ...rest, steps: steps.flat() }));
}

function only<S>(step: S): readonly S[] {
  return [step];
}

/** Often about as long as the lease: what a lock does then depends on how its steps interleave with the expiry. */
function holdPercent(most: number): Arbitrary<number> {
  // Not a double: doubles are drawn evenly by their bits, so nearly all of them are nearly 0.
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

function hold(ms: number): Extract<StepInput, { readonly do: "hold" }>[] {
  const forMs = Math.round(ms);
  return forMs > 0 ? [{ do: "hold", forMs }] : [];
}
