import type { Fault } from "../../core/fault.ts";
import type { Plan } from "../../core/plan.ts";
import { RESOURCE } from "../../core/topology.ts";
import { type History, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { type Base, deadlinesOf, isVoted } from "../../../workloads/deviations/base.ts";
import { deviationsOf, type RankedDeviation } from "../../../workloads/deviations/deviations-of.ts";
import { inTurn, type Queue } from "./in-turn.ts";
import { type Aspect, leastAlike } from "./least-alike.ts";
import { believedOtherwise, grantedBySome, type Leaving, toldOtherwise } from "./left-behind.ts";
import { remembering } from "./remembering.ts";
import type { Lesson } from "./systematic-plans.ts";

export interface PairOptions {
  readonly bases: readonly Base[];
  readonly faults: readonly Fault[];
  /** Runs a plan in simulation and keeps its messages. */
  readonly learn: (plan: Plan) => Promise<Lesson>;
  /** How much the lock promises in a run of the plan: pairs under which it promises nothing are left out. */
  readonly promises: (plan: Plan) => number;
  /** The most plans. */
  readonly most: number;
}

/** Deviations that cost more begin no pair, or end none. */
const MOST_COST = 6;

/** What is added to the cost of a second deviation that strikes at no message with another answer. */
const BETWEEN_OPERATIONS = 2;

interface Single {
  readonly base: Base;
  readonly deviation: RankedDeviation;
}

/** A deviation that leaves something behind, and what a second one can strike then. */
interface Changed extends Single {
  readonly plan: Plan;
  /** The workload and its faults, in words. */
  readonly name: string;
  readonly seconds: readonly RankedDeviation[];
}

interface Pair {
  readonly first: Changed;
  readonly second: RankedDeviation;
}

/** In which ways a first deviation leaves something behind. Pairs of each come in turn. */
const WAYS: readonly Leaving[] = [toldOtherwise, grantedBySome, believedOtherwise];
const MOST_LEARNED = WAYS.reduce((sum, { learned }) => sum + learned, 0);

/**
 * Plans with two deviations, the most telling first. A first deviation begins pairs if it leaves something behind (`Leaving`), and
 * the second one strikes at what rests on that. Of first deviations that leave the same behind, one begins pairs. The same options
 * give the same plans.
 */
export async function pairsOf({ bases, faults, learn, promises, most }: PairOptions): Promise<readonly Plan[]> {
  const remembered = remembering(learn, MOST_LEARNED);
  const queues: Queue[] = [];
  for (const way of WAYS.filter(({ isOfVotes }) => !isOfVotes || bases.some(isVoted))) {
    const changed = await changing({ bases, faults, learn: remembered }, way);
    const pairs = changed.flatMap((first) => first.seconds.map((second): Pair => ({ first, second })));
    const order = leastAlike(pairs, {
      costOf: ({ first, second }) =>
        first.deviation.cost + second.cost + (second.phase === "between" ? BETWEEN_OPERATIONS : 0),
      aspectsOf: aspectsOfPair,
    });
    const plans = order.map(({ first, second }) => second.apply(first.plan)).filter((plan) => promises(plan) > 0);
    queues.push({ plans, share: 1 });
  }
  return inTurn(queues).take(most).toArray();
}

/** First deviations that leave something behind, each another thing. */
async function changing(
  { bases, faults, learn }: Pick<PairOptions, "bases" | "faults" | "learn">,
  way: Leaving,
): Promise<readonly Changed[]> {
  const { first, second, isOfVotes, learned, leftBy } = way;
  const wanted = isOfVotes ? bases.filter(isProlonged) : bases;
  const singles = wanted.flatMap((base) =>
    first.flatMap((servers) =>
      deviationsOf(base, faults, { mostCost: MOST_COST, servers })
        .filter((deviation) => !isOfVotes || keepsAcquire(deviation))
        .map((deviation): Single => ({ base, deviation })),
    ),
  );
  const aspectsOf = isOfVotes ? aspectsOfAcquire : aspectsOfSingle;
  const order = leastAlike(singles, { costOf: costOfFirst, aspectsOf });
  const known = new Set<string>();
  const changed: Changed[] = [];
  for (const { base, deviation } of order.take(learned)) {
    const plan = deviation.apply(base.plan);
    const { history, messages } = await learn(plan);
    if (history.end?.value.run !== "completed") continue;
    const overNs = endOfFault(history, base.plan.faults.length);
    const left = leftBy({ base, plan, history, messages, overNs });
    if (left === undefined || known.has(left.name)) continue;
    known.add(left.name);
    const { struck, fromNs } = left;
    const deadlines = deadlinesOf(plan, history, base.deadlines.patienceMs);
    const seconds = deviationsOf({ name: base.name, plan, history, messages: struck, deadlines }, faults, {
      mostCost: MOST_COST,
      servers: second,
    });
    const fromMs = fromNs / NANOSECONDS_PER_MS;
    const ending = seconds.filter(({ atMs, prolongsHold }) => atMs >= fromMs && (prolongsHold || !isOfVotes));
    const name = `${JSON.stringify(plan.faults)} ${base.name}`;
    changed.push({ base, deviation, plan, name, seconds: ending });
  }
  return changed;
}

/**
 * Of a pair: a hold that the first deviation strikes, one that it leaves something behind for, and one that the second
 * strikes.
 */
const HOLDS_OF_A_PAIR = 3;

/** The cost grows where too few holds follow: what it leaves behind can harm nobody then. */
function costOfFirst({ base: { deadlines }, deviation: { atMs, cost } }: Single): number {
  const following = deadlines.holds.filter(({ fromMs }) => fromMs > atMs).length;
  return cost + Math.max(0, HOLDS_OF_A_PAIR - following);
}

/** When the fault of a step was healed, or struck if it is not healed while the run goes on; in nanoseconds. */
function endOfFault({ events, end }: History, step: number): number {
  const stopped = end?.value.at ?? Infinity;
  const times = events.flatMap((event) =>
    event.type === "fault" && event.value.step === step && event.time < stopped ? [event.time] : [],
  );
  return Math.max(0, ...times);
}

function aspectsOfSingle({ base, deviation }: Single): readonly Aspect[] {
  const { kind, sort, family } = deviation;
  return [
    [kind, 1],
    [sort, 1],
    [`${sort} ${kind}`, 2],
    [`${sort} ${family.kind}`, 2],
    [base.name, 0.5],
  ];
}

/** Whatever keeps an acquire from as many servers for as long does the same. */
function aspectsOfAcquire({ base, deviation: { kind, point, family } }: Single): readonly Aspect[] {
  return [
    [family.way, 0.5],
    [base.name, 0.5],
    [`${base.name} ${point} ${kind}`, 2],
  ];
}

/** Whether a deviation keeps an acquire from servers, so that some of them never hear of it. */
function keepsAcquire({ kind, phase, beginsHold }: RankedDeviation): boolean {
  return beginsHold && phase === "before" && (kind === "hold-message" || kind === "lose-message");
}

/** Whether a client prolongs a hold. */
function isProlonged({ history: { events }, messages }: Base): boolean {
  return messages.some(
    ({ operation, keys, server }) =>
      keys.length > 0 && server !== RESOURCE && (operation === undefined || events[operation]?.f === "extend"),
  );
}

function aspectsOfPair({ first, second }: Pair): readonly Aspect[] {
  const { base, deviation, name } = first;
  return [
    [`first ${name}`, 0.5],
    [`kinds ${deviation.kind} ${second.kind}`, 1],
    [`sorts ${deviation.sort} ${second.sort}`, 1],
    [`second ${second.sort} ${second.family.kind}`, 1],
    [`second for ${second.length}`, 0.5],
    [base.name, 0.5],
  ];
}
