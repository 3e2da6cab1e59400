import type { Fault } from "../../core/fault.ts";
import type { Plan } from "../../core/plan.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import { RESOURCE } from "../../core/topology.ts";
import { type History, type HistoryEvent, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { type Base, deadlinesOf } from "../../../workloads/deviations/base.ts";
import { deviationsOf, type RankedDeviation } from "../../../workloads/deviations/deviations-of.ts";
import { isDecisive } from "../../../workloads/deviations/rounds.ts";
import { type Aspect, leastAlike } from "./least-alike.ts";
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

/** How many single deviations are run to see what they leave behind. */
const LEARNED = 120;
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
  readonly seconds: readonly RankedDeviation[];
}

interface Pair {
  readonly first: Changed;
  readonly second: RankedDeviation;
}

/**
 * Plans with two deviations, the most telling first. A first deviation begins pairs if it leaves something behind: when it
 * is over, clients are told other things than in the run without it, and what follows rests on those. The second one
 * strikes there; where independent servers vote, when a grant has rested on what one of them was left with, at a later
 * answer that others do not outvote. Of first deviations that leave the same behind, one begins pairs. The same options
 * give the same plans.
 */
export async function pairsOf({ bases, faults, learn, promises, most }: PairOptions): Promise<readonly Plan[]> {
  const changed = await changing({ bases, faults, learn });
  const pairs = changed.flatMap((first) => first.seconds.map((second): Pair => ({ first, second })));
  const order = leastAlike(pairs, {
    costOf: ({ first, second }) =>
      first.deviation.cost + second.cost + (second.phase === "between" ? BETWEEN_OPERATIONS : 0),
    aspectsOf: aspectsOfPair,
  });
  return order
    .map(({ first, second }) => second.apply(first.plan))
    .filter((plan) => promises(plan) > 0)
    .take(most)
    .toArray();
}

/** First deviations that leave something behind, each another thing. */
async function changing({
  bases,
  faults,
  learn,
}: Pick<PairOptions, "bases" | "faults" | "learn">): Promise<readonly Changed[]> {
  const singles = bases.flatMap((base) =>
    deviationsOf(base, faults, { mostCost: MOST_COST, servers: "one" }).map((deviation): Single => ({
      base,
      deviation,
    })),
  );
  const order = leastAlike(singles, { costOf: costOfFirst, aspectsOf: aspectsOfSingle });
  const toldBefore = new Map(bases.map((base) => [base, new Set(toldIn(base).values())]));
  const known = new Set<string>();
  const changed: Changed[] = [];
  for (const { base, deviation } of order.take(LEARNED)) {
    const plan = deviation.apply(base.plan);
    const { history, messages } = await learn(plan);
    if (history.end?.value.run !== "completed") continue;
    const overNs = endOfFault(history, base.plan.faults.length);
    const told = toldIn({ plan, history, messages });
    const news = messages.filter((message) => {
      const words = told.get(message);
      return words !== undefined && message.sentNs >= overNs && toldBefore.get(base)?.has(words) !== true;
    });
    const name = [...new Set(news.map((message) => told.get(message)))].join("\n");
    if (name === "" || known.has(name)) continue;
    known.add(name);
    const { struck, fromNs } = restingOn(plan, history, news, messages);
    const deadlines = deadlinesOf(plan, history, base.deadlines.patienceMs);
    const seconds = deviationsOf({ name: base.name, plan, history, messages: struck, deadlines }, faults, {
      mostCost: MOST_COST,
      servers: "one",
    });
    const fromMs = Math.max(overNs, fromNs) / NANOSECONDS_PER_MS;
    changed.push({ base, deviation, plan, seconds: seconds.filter(({ atMs }) => atMs >= fromMs) });
  }
  return changed;
}

/**
 * At which messages that were told otherwise a second deviation changes something, and from when on. Where servers vote, that
 * is where others do not outvote the one answer, in operations that succeeded; and when a grant has rested on such an
 * answer, since before that the second deviation only hides what the first one left behind.
 */
function restingOn(
  { topology }: Plan,
  history: History,
  news: readonly WireMessage[],
  messages: readonly WireMessage[],
): { readonly struck: readonly WireMessage[]; readonly fromNs: number } {
  if (topologyOf(topology.kind).arrangement !== "independent") return { struck: news, fromNs: 0 };
  const successes = news.flatMap((message) => {
    const success = successOf(message, history);
    return success !== undefined && isDecisive(message, messages) ? [{ message, ...success }] : [];
  });
  const grants = successes.filter(({ f }) => f === "acquire");
  return { struck: successes.map(({ message }) => message), fromNs: Math.min(...grants.map(({ atNs }) => atNs)) };
}

/** The operation that a message was sent for, and when it succeeded; undefined if it did not. A renewal is of none. */
function successOf({ operation, sentNs }: WireMessage, { events }: History) {
  if (operation === undefined) return { f: undefined, atNs: sentNs };
  const invoked = events[operation];
  if (invoked === undefined) return undefined;
  const ended = events.find((event, index) => index > operation && event.process === invoked.process);
  return ended?.type === "ok" ? { f: invoked.f, atNs: ended.time } : undefined;
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

/** What each message about keys was told, in words that are equal in two runs where the same happened. */
function toldIn({
  plan,
  history: { events },
  messages,
}: Pick<Base, "plan" | "history" | "messages">): ReadonlyMap<WireMessage, string> {
  const nth = new Map<HistoryEvent, string>();
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type !== "invoke") continue;
    const name = `${event.process % plan.clients.length} ${event.f}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    nth.set(event, `${event.f} ${count}`);
  }
  const told = new Map<WireMessage, string>();
  for (const message of messages) {
    const { client, server, command, keys, operation, reply = "none" } = message;
    if (server === RESOURCE || keys.length === 0) continue;
    const invoked = operation === undefined ? undefined : events[operation];
    told.set(message, `${client} ${(invoked && nth.get(invoked)) ?? "-"} ${server} ${command}: ${reply}`);
  }
  return told;
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

function aspectsOfPair({ first, second }: Pair): readonly Aspect[] {
  const { base, deviation, plan } = first;
  return [
    [`first ${JSON.stringify(plan.faults)} ${base.name}`, 0.5],
    [`kinds ${deviation.kind} ${second.kind}`, 1],
    [`sorts ${deviation.sort} ${second.sort}`, 1],
    [`second ${second.sort} ${second.family.kind}`, 1],
    [`second for ${second.length}`, 0.5],
    [base.name, 0.5],
  ];
}
