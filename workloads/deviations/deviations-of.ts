import type { Fault, FaultFocus } from "../../harness/core/fault.ts";
import type { FaultTraits } from "../../harness/core/fault-traits.ts";
import type { FaultStep, Plan } from "../../harness/core/plan.ts";
import {
  type Base,
  type Deadlines,
  hasOutlived,
  isOpenTo,
  furtherHolds,
  isHeededLate,
  type Held,
  type IntoNextHold,
  lengthIntoNextHold,
  lengthsAround,
  lengthsPastAnother,
} from "./base.ts";
import { type Deviation, type DeviationKind, deviationKindOf } from "./deviation.ts";
import { familiesOf, type Family, familyOfOneMessage, isBeside } from "./families.ts";
import type { Phase } from "./moments.ts";
import { type StrikePoint, strikePointsOf, type Struck } from "./strike-points.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

/** A deviation with its cost: the least is tried first. */
export interface RankedDeviation extends Deviation {
  /** Deviations of one sort are like each other: the same at another time, in another workload, or for longer. */
  readonly sort: string;
  readonly cost: number;
  /** The fault with its parameters. Of one that holds a single message, for any length. */
  readonly family: Family;
  /** The fault that it adds to a plan. */
  readonly step: FaultStep;
  /** Of the servers that are asked the same, whether it strikes only some: others then answer differently. */
  readonly dividesServers: boolean;
  /** Whether it strikes one of the servers that its client speaks to then, by name. */
  readonly hitsServers: boolean;
  /** Whether it strikes at a message of an acquire. */
  readonly beginsHold: boolean;
  /** Whether it strikes at a message that prolongs a hold. */
  readonly prolongsHold: boolean;
  /** Whether it keeps its client from some servers, and other clients from other ones. */
  readonly hasSides: boolean;
  /** Which length it has: each lasts to one side of a deadline. 0 if it has no length. */
  readonly length: number;
  /** The moment, in words. */
  readonly point: string;
  /** When it came in the run of the base, in milliseconds since its start. */
  readonly atMs: number;
  /** How far the message is that it strikes at, or that it strikes at none. */
  readonly phase: Phase;
}

export interface DeviationScope {
  /** Only deviations of these kinds. Default: of all. */
  readonly kinds?: readonly DeviationKind[] | undefined;
  /** Deviations that cost more are left out. */
  readonly mostCost?: number | undefined;
  /** Which of independent servers that are asked the same faults hit; `minority`, `enough`: only faults that hit these. Default: together. */
  readonly servers?: Struck | undefined;
}

/** All deviations of a base that one of these faults can cause, in a fixed order, the most telling first. */
export function deviationsOf(
  base: Base,
  faults: readonly Fault[],
  { kinds, mostCost = Infinity, servers = "together" }: DeviationScope = {},
): readonly RankedDeviation[] {
  const points = strikePointsOf(base, servers)
    .filter(({ phase }) => !isOfSome(servers) || phase !== "between")
    .map((point) => timed(base.deadlines, point));
  const wanted = (kind: DeviationKind): boolean => kinds === undefined || kinds.includes(kind);
  return faults
    .flatMap((fault) => [
      ...(wanted(deviationKindOf(fault.traits)) ? lastingOf(base, fault, points, mostCost) : []),
      ...(wanted("hold-one-message") ? ofOneMessage(base, fault, points, mostCost) : []),
    ])
    .filter(({ hitsServers }) => !isOfSome(servers) || hitsServers)
    .toSorted((one, other) => one.cost - other.cost);
}

/** Whether faults are to hit some of the servers that vote, and nothing else. */
function isOfSome(struck: Struck): boolean {
  return struck === "minority" || struck === "enough";
}

/** How many deviations a base has that one of these faults can cause: as many as `deviationsOf` gives, in less time. */
export function countDeviations(base: Base, faults: readonly Fault[]): number {
  const points = strikePointsOf(base, "together").map((point) => timed(base.deadlines, point));
  const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
  return sum(
    faults.map((fault) => {
      const families = familiesFor(fault, base);
      const alone = familyOfOneFor(fault, base);
      const lasting = (point: TimedPoint): number =>
        sum(
          families(point).map((family) =>
            isStruck(point, fault) && isBeside(point, family) ? (family.hasLength ? point.lengths.length : 1) : 0,
          ),
        );
      return sum(points.map((point) => lasting(point) + aloneAt(base, alone(point), point).length));
    }),
  );
}

/** A point with what the deadlines say of its moment, which is the same for every fault. */
interface TimedPoint extends StrikePoint {
  readonly hasOutlived: boolean;
  /** Whether no client holds the lock, and another one than its own asks for it within a lease. */
  readonly isOpen: boolean;
  readonly lengths: readonly number[];
  /** Whether its client, if kept waiting for so long, still acts on what it hears after the end of the lease that it asks for. */
  readonly heedsAfterLease: (forMs: number) => boolean;
}

function timed(deadlines: Deadlines, point: StrikePoint): TimedPoint {
  const { client, atMs, splitsAcquire, decidesAcquire, phase, isOfConnections } = point;
  const around = lengthsAround(deadlines, client, atMs, heldAt(point));
  // The reply to the last command of an acquire says what was decided: nobody can come in between any more.
  const mayPass = splitsAcquire && !(decidesAcquire && (phase === "after" || phase === "reply"));
  const past = mayPass ? lengthsPastAnother(deadlines, client, atMs) : undefined;
  const passing = [past?.intoGapMs, past?.intoHoldMs];
  // What is asked of no key, such as the time, matters if its answer is late and still heeded.
  const inOrder = point.isKeyless ? [...around, ...passing] : [...passing, ...around];
  const lengths = inOrder.filter((ms) => ms !== undefined);
  // A connection that breaks then is worth trying because the lease is over.
  const outlived = isOfConnections !== true && hasOutlived(deadlines, client, atMs);
  // Another client may have had the lock by then, although this one goes on as if nothing had happened.
  const heedsAfterLease = (forMs: number): boolean =>
    past !== undefined && isHeededLate(deadlines, client, atMs, forMs);
  const isOpen = isOpenTo(deadlines, client, atMs);
  return { ...point, hasOutlived: outlived, isOpen, lengths: [...new Set(lengths)], heedsAfterLease };
}

function heldAt({ phase, isForWholeLease, isOfFurtherKey, isKeyless }: StrikePoint): Held {
  if (isKeyless) return "grant";
  // A part of the lease of the other key is over when it comes.
  if (isForWholeLease && isOfFurtherKey) return "grant";
  if (phase === "reply") return isForWholeLease ? "grant" : "other";
  if (phase !== "after") return "other";
  return isForWholeLease ? "grant" : "reply";
}

/** A fault at each point at which it makes a difference. */
function lastingOf(
  base: Base,
  fault: Fault,
  points: readonly TimedPoint[],
  mostCost: number,
): readonly RankedDeviation[] {
  const families = familiesFor(fault, base);
  return points.flatMap((point) => {
    const rank = point.rank + howTelling(fault.traits, point);
    return isStruck(point, fault) ? deviationsAt(point, rank, families, mostCost) : [];
  });
}

/** Whether a fault can make a difference at a point at all, which it makes at no other point of the same moment. */
function isStruck({ isOfConnections = false, isOfWantedHold }: StrikePoint, { traits }: Fault): boolean {
  return traits.messages === "resets" ? isOfConnections || !isOfWantedHold : !isOfConnections;
}

/** How little a fault with these traits tells at a point, beside its other points: 0 is the most of almost all. */
function howTelling(traits: FaultTraits, point: StrikePoint): number {
  const { isOfConnections, phase, changesHold, endsHold, isOfRenewer, isOfHalf, isOfWantedKey } = point;
  if (isOfConnections === true) return 0;
  // No server hears of the release: whoever renews what it believes to have given back holds it for ever.
  if (traits.messages === "resets" && phase === "before" && endsHold && isOfRenewer) return 0;
  // What a refused try has asked took no effect: it does not matter that its client does not hear so.
  if (traits.messages === "resets" && phase === "reply" && isOfRefusedTry(point)) return 1;
  // A client that is stopped then learns of the new lease when that is over, too; the timers that end the old one stop with it.
  if (traits.pauses === "client" && phase === "reply" && changesHold && !endsHold) return 0;
  // Whoever dies with something half done leaves more behind than one that holds, if somebody meets it.
  if (traits.kills === "client" && phase === "send" && isOfHalf) return isOfWantedKey ? -1 : 1;
  const found = phasesOf(traits).findIndex((equal) => equal.includes(phase));
  return found === -1 ? LEAST_TELLING : found;
}

/** Whether it is about a command of an acquire that tries again after it, with the same command. */
function isOfRefusedTry({ beginsHold, splitsAcquire, decidesAcquire }: StrikePoint): boolean {
  return beginsHold && !splitsAcquire && !decidesAcquire;
}

/** The rank of a moment at which a fault does the same as at the next moment. */
const LEAST_TELLING = 6;

/** The moments at which a fault with these traits makes a difference, the most telling first. */
function phasesOf({ pauses, kills, messages, loses, promotes }: FaultTraits): readonly (readonly Phase[])[] {
  // A message that is held or lost; its reply that is held or lost.
  if (messages === "holds") return [["before"], ["after"], ["between"]];
  // The other way round: without its reply, a client does not know what the server did.
  if (messages === "resets") return [["reply"], ["before"], ["between"]];
  // A client stops or dies with its message unsent, or with the reply unread.
  if (pauses === "client" || kills === "client") return [["send"], ["between"], ["reply"]];
  // A server stops, dies or forgets with a command applied and unanswered, or before it.
  if (pauses === "node" || kills === "node" || loses !== undefined || promotes !== undefined) {
    return [["after"], ["between"], ["before"]];
  }
  // Something else happens to a client or a server that is about to go on.
  return [["between"], ["send", "before"], ["after", "reply"]];
}

function deviationsAt(
  point: TimedPoint,
  rank: number,
  families: (point: StrikePoint) => readonly Family[],
  mostCost: number,
): readonly RankedDeviation[] {
  // What is done after a lease is over seldom rests on it.
  const least = rank * 3 + (point.hasOutlived ? 1 : 0);
  if (least > mostCost) return [];
  return families(point).flatMap((family) => {
    if (!isBeside(point, family)) return [];
    const lengths = family.hasLength ? point.lengths : [undefined];
    return lengths.flatMap((forMs, length) => {
      const cost = least + choiceAt(point, family) * 2 + length * 2;
      const sort = forMs !== undefined && point.heedsAfterLease(forMs) ? HEEDED_LATE : undefined;
      return cost > mostCost ? [] : [new Ranked({ point, family, cost, length, forMs, sort })];
    });
  });
}

/** What is kept back until the lease that it asks for is over, and is not given up by its client meanwhile. */
const HEEDED_LATE = "past its lease, and still waited for";

/**
 * How little the parameters of a fault tell at a point, beside its others. An extension or a renewal that no server hears of has
 * failed, and its client knows; one that only some servers hear of tells as much.
 */
function choiceAt({ changesHold, endsHold, beginsHold, isOpen }: TimedPoint, family: Family): number {
  // Two sides of a network can differ about a lock that is granted while they are apart, not about one that is held before.
  if (family.hasSides) return beginsHold && isOpen ? 0 : 2;
  const prolongs = changesHold && !endsHold;
  return prolongs && family.dividesServers ? Math.max(0, family.choice - 1) : family.choice;
}

interface Ranking {
  readonly point: StrikePoint;
  readonly family: Family;
  readonly cost: number;
  readonly length: number;
  readonly forMs: number | undefined;
  /** What sets it apart from others at a point of its sort. */
  readonly sort?: string | undefined;
}

/** There are tens of thousands and a search takes hundreds: what they say is put into words when it is asked for. */
class Ranked implements RankedDeviation {
  readonly #ranking: Ranking;

  constructor(ranking: Ranking) {
    this.#ranking = ranking;
  }

  get cost(): number {
    return this.#ranking.cost;
  }

  get family(): Family {
    return this.#ranking.family;
  }

  get dividesServers(): boolean {
    return this.#ranking.family.dividesServers;
  }

  get hitsServers(): boolean {
    return this.#ranking.family.hitsServers;
  }

  get beginsHold(): boolean {
    return this.#ranking.point.beginsHold;
  }

  get prolongsHold(): boolean {
    const { changesHold, endsHold } = this.#ranking.point;
    return changesHold && !endsHold;
  }

  get hasSides(): boolean {
    return this.#ranking.family.hasSides;
  }

  get length(): number {
    return this.#ranking.length;
  }

  get kind(): DeviationKind {
    return this.#ranking.family.does;
  }

  get sort(): string {
    const { point, sort } = this.#ranking;
    return sort === undefined ? point.sort : `${point.sort} ${sort}`;
  }

  get point(): string {
    return this.#ranking.point.words;
  }

  get atMs(): number {
    return this.#ranking.point.atMs;
  }

  get phase(): Phase {
    return this.#ranking.point.phase;
  }

  get step(): FaultStep {
    const { family, point, forMs } = this.#ranking;
    return family.stepAt(point.at, forMs);
  }

  get at(): string {
    const { family, point, forMs } = this.#ranking;
    const how = family.does === "hold-one-message" ? "of one message" : JSON.stringify(family.params);
    return `${family.kind} ${how} ${point.words}${forMs === undefined ? "" : ` for ${inFigures(forMs)} ms`}`;
  }

  apply(to: Plan): Plan {
    return { ...to, faults: [...to.faults, this.step] };
  }
}

/** Each message, or its reply, held alone. */
function ofOneMessage(
  base: Base,
  fault: Fault,
  points: readonly TimedPoint[],
  mostCost: number,
): readonly RankedDeviation[] {
  const family = familyOfOneFor(fault, base);
  return points.flatMap((point) =>
    aloneAt(base, family(point), point)
      .filter(({ cost }) => cost <= mostCost)
      .map((alone) => new Ranked({ point, ...alone })),
  );
}

/** A message of a point held alone, for each length. */
type Alone = Omit<Ranking, "point">;

function aloneAt({ deadlines }: Base, family: Family | undefined, point: TimedPoint): readonly Alone[] {
  if (family === undefined) return [];
  const isReply = point.phase === "after";
  const asked = point.rank * 3 + (point.hasOutlived ? 1 : 0);
  const least = asked + (isReply ? 3 : 0);
  const strikesNext = !isReply && point.changesHold;
  const further = strikesNext ? furtherHolds(deadlines, point.client, point.atMs) : 0;
  const { patienceMs = Infinity } = deadlines;
  const around = point.lengths.map((forMs, length): Alone => {
    // A client that asks again after a grant that it has not heard of may count the lease from its second question.
    if (isReply && point.isForWholeLease && length === AGAIN && forMs > patienceMs)
      return { family, forMs, length, sort: "alone, until its client asks again", cost: asked };
    // Its client gives it up before the lease is over, and holds again.
    const several = length === 0 && further >= SEVERAL ? `alone, before ${further} holds` : "alone";
    const sort = point.heedsAfterLease(forMs) ? `${several}, ${HEEDED_LATE}` : several;
    return { family, forMs, length, sort, cost: least + length * 2 };
  });
  const intoNext = strikesNext ? lengthIntoNextHold(deadlines, point) : undefined;
  return intoNext === undefined ? around : [...around, { family, ...intoNextHold(intoNext, least) }];
}

/** Which of the lengths for which a grant is held its client does not wait for, if it waits for so short a time. */
const AGAIN = 1;

/** A message that outlasts this many holds of its client may be taken for one of a later hold. */
const SEVERAL = 2;

/** A message that arrives when it lets another client in certainly matters. Other lengths may not, and cost more. */
function intoNextHold({ forMs, isWanted }: IntoNextHold, least: number) {
  return { forMs, length: 0, sort: "alone, into the next hold", cost: isWanted ? least - 3 : least };
}

/** The families of a fault at a point: the same ones wherever the client and its servers are. */
function familiesFor(fault: Fault, { plan, deadlines }: Base): (point: StrikePoint) => readonly Family[] {
  const known = new Map<string, readonly Family[]>();
  return (point) => {
    const where = [point.client, ...point.servers].join(" ");
    const families = known.get(where) ?? familiesOf(fault, focusOf(plan, point, deadlines.leaseMs));
    known.set(where, families);
    return families;
  };
}

/** The same of a message that is held alone. */
function familyOfOneFor(fault: Fault, { plan, deadlines }: Base): (point: StrikePoint) => Family | undefined {
  const known = new Map<string, Family | undefined>();
  return (point) => {
    const which = [point.phase, point.client, ...point.servers].join(" ");
    if (!known.has(which)) {
      known.set(which, familyOfOneMessage(fault, point, focusOf(plan, point, deadlines.leaseMs)));
    }
    return known.get(which);
  };
}

function focusOf({ topology, clients }: Plan, { client, servers }: StrikePoint, leaseMs: number): FaultFocus {
  return { topology, clients: clients.length, client, servers, leaseMs };
}
