import type { Fault } from "../../core/fault.ts";
import type { Plan } from "../../core/plan.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import type { History } from "../../history/history.ts";
import type { ContentionOptions } from "../../../workloads/contention.ts";
import { type Base, deadlinesOf } from "../../../workloads/deviations/base.ts";
import type { DeviationKind } from "../../../workloads/deviations/deviation.ts";
import { deviationsOf } from "../../../workloads/deviations/deviations-of.ts";
import {
  type Skills,
  skillsWorkload,
  smallWorkloads,
  type WorkloadOptions,
} from "../../../workloads/deviations/workloads.ts";

/** What a run shows of a lock: what it recorded, and what it sent. */
export interface Lesson {
  readonly history: History;
  readonly messages: readonly WireMessage[];
}

/** What learning a lock needs. */
interface LearningOptions {
  readonly drawnFrom: ContentionOptions;
  readonly seed: number;
  /** Runs a plan without faults, in simulation, and keeps its messages. */
  readonly learn: (plan: Plan) => Promise<Lesson>;
}

interface SystematicOptions extends LearningOptions {
  readonly skills: Skills;
  /** Whether a run of the plan can break a promise. */
  readonly isPromising: (plan: Plan) => boolean;
  /** The most plans. */
  readonly most: number;
}

/**
 * Plans in a fixed order: the small workloads of what the lock can do, then the same with one deviation each, the most
 * telling ones of each kind of fault first, and the kinds in turn. The same options give the same plans.
 */
export async function systematicPlans(options: SystematicOptions): Promise<readonly Plan[]> {
  const { drawnFrom, learn, skills, isPromising, most } = options;
  const workloads = smallWorkloads(workloadOptions(options), skills);
  const bases: Base[] = [];
  for (const { name, plan } of workloads) {
    const { history, messages } = await learn(plan);
    // A lock that renews its leases is never free again if its holder does not release it.
    if (history.end?.value.run !== "completed") continue;
    bases.push({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) });
  }
  const plans = bases.map(({ plan }) => plan);
  for (const plan of deviating(bases, drawnFrom.faults)) {
    if (plans.length >= most) break;
    if (isPromising(plan)) plans.push(plan);
  }
  return plans;
}

/** What the lock does when it is asked to extend and to enter again. */
export async function skillsOf(options: LearningOptions): Promise<Skills> {
  const { history } = await options.learn(skillsWorkload(workloadOptions(options)));
  const times = (f: string): number => history.events.filter((event) => event.type === "ok" && event.f === f).length;
  return { extends: times("extend") > 0, reenters: times("acquire") > 1 };
}

function workloadOptions({ drawnFrom, seed }: LearningOptions): WorkloadOptions {
  const { lock, topology, fencing = true, maxHoldShare = 0 } = drawnFrom;
  return { lock, topology, fencing, seed, outlives: maxHoldShare > 1 };
}

/**
 * How many deviations of a kind are tried in each turn. Holding a message, or the client that is about to send it, is
 * what most locks do not expect.
 */
const SHARES: Readonly<Partial<Record<DeviationKind, number>>> = { "hold-message": 3, "stop-client": 2 };

/** Dearer deviations are left out: there are thousands of cheaper ones. */
const MOST_COST = 12;

/** One deviation each: the kinds in turn; of each kind the sorts in turn; of each sort the cheapest over all workloads. */
function* deviating(bases: readonly Base[], faults: readonly Fault[]): Generator<Plan> {
  const found = bases.flatMap((base, index) =>
    deviationsOf(base, faults, undefined, MOST_COST).map((deviation) => ({
      base,
      deviation,
      cost: deviation.cost + index / 2,
    })),
  );
  const kinds = [...Map.groupBy(found, ({ deviation }) => deviation.kind)].map(([kind, each]) => ({
    share: SHARES[kind] ?? 1,
    queue: inTurn([...Map.groupBy(each, ({ deviation }) => deviation.sort).values()].map(cheapestFirst)),
  }));
  for (const { base, deviation } of inTurn(kinds.flatMap(({ share, queue }) => dealt(queue, share)))) {
    yield deviation.apply(base.plan);
  }
}

function cheapestFirst<T extends { readonly cost: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((one, other) => one.cost - other.cost);
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => turn).flatMap((turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  );
}

/** Deals a list out to some hands. */
function dealt<T>(list: readonly T[], hands: number): readonly (readonly T[])[] {
  return Array.from({ length: hands }, (_, hand) => list.filter((_, index) => index % hands === hand));
}
