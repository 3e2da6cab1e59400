import fc from "fast-check";
import type { Fault, FaultFocus, FaultParams } from "../../harness/core/fault.ts";
import { type FaultTraits, killsClients } from "../../harness/core/fault-traits.ts";
import type { FaultStep, Plan } from "../../harness/core/plan.ts";
import type { Trigger } from "../../harness/core/trigger.ts";
import {
  type Base,
  type Deadlines,
  hasOutlived,
  type IntoNextHold,
  lengthIntoNextHold,
  lengthsAround,
} from "./base.ts";
import { type Deviation, type DeviationKind, deviationKindOf } from "./deviation.ts";
import { type StrikePoint, strikePointsOf, type Phase, type Struck } from "./strike-points.ts";

/** A deviation with its cost: the least is tried first. */
export interface RankedDeviation extends Deviation {
  /** Deviations of one sort are like each other: the same at another time, in another workload, or for longer. */
  readonly sort: string;
  readonly cost: number;
  /** The fault that it adds to a plan. Equal parameters of the same fault are often the same object. */
  readonly step: FaultStep;
  /** Which of the fault's parameters, in words: equal for deviations that differ in where they strike, and for how long. */
  readonly way: string;
  /** Which side of which deadline it lasts to; 0 where it has no length. */
  readonly length: number;
  /** The moment, in words. */
  readonly point: string;
  /** When it came in the run of the base, in milliseconds since its start. */
  readonly atMs: number;
}

/** How many parameters of a fault without `choices` are tried at each moment. */
const DRAWN = 3;

export interface DeviationScope {
  /** Only deviations of these kinds. Default: of all. */
  readonly kinds?: readonly DeviationKind[] | undefined;
  /** Dearer ones are left out. */
  readonly mostCost?: number | undefined;
  /** Of independent servers that are asked the same, whether faults hit them together or one of them. Default: together. */
  readonly servers?: Struck | undefined;
}

/** All deviations of a base that one of these faults can cause, in a fixed order, the most telling first. */
export function deviationsOf(
  base: Base,
  faults: readonly Fault[],
  { kinds, mostCost = Infinity, servers = "together" }: DeviationScope = {},
): readonly RankedDeviation[] {
  const points = strikePointsOf(base, servers).map((point) => timed(base.deadlines, point));
  const wanted = (kind: DeviationKind): boolean => kinds === undefined || kinds.includes(kind);
  return faults
    .flatMap((fault) => [
      ...(wanted(deviationKindOf(fault.traits)) ? lastingOf(base, fault, points, mostCost) : []),
      ...(wanted("hold-one-message") ? ofOneMessage(base, fault, points, mostCost) : []),
    ])
    .toSorted((one, other) => one.cost - other.cost);
}

/** A point with what the deadlines say of its moment, which is the same for every fault. */
interface TimedPoint extends StrikePoint {
  readonly hasOutlived: boolean;
  readonly lengths: readonly number[];
}

function timed(deadlines: Deadlines, point: StrikePoint): TimedPoint {
  const { client, atMs } = point;
  return { ...point, hasOutlived: hasOutlived(deadlines, client, atMs), lengths: lengthsAround(deadlines, atMs) };
}

/** A fault at each point at which it makes a difference. */
function lastingOf(
  base: Base,
  fault: Fault,
  points: readonly TimedPoint[],
  mostCost: number,
): readonly RankedDeviation[] {
  const phases = phasesOf(fault.traits);
  const choices = choicesOf(fault, base);
  return points.flatMap((point) => {
    const phase = phases.indexOf(point.phase);
    return phase === -1 ? [] : deviationsAt(fault, { ...point, rank: point.rank + phase }, choices, mostCost);
  });
}

/** The moments at which a fault with these traits makes a difference, the most telling first. */
function phasesOf({ pauses, kills, messages, loses, promotes }: FaultTraits): readonly Phase[] {
  // A message that is held or lost; its reply that is held or lost.
  if (messages === "holds") return ["before", "after", "between"];
  // The other way round: without its reply, a client does not know what the server did.
  if (messages === "resets") return ["reply", "before", "between"];
  // A client stops or dies with its message unsent, or with the reply unread.
  if (pauses === "client" || kills === "client") return ["send", "between", "reply"];
  // A server stops, dies or forgets with a command applied and unanswered, or before it.
  if (pauses === "node" || kills === "node" || loses !== undefined || promotes !== undefined) {
    return ["after", "between", "before"];
  }
  return ["between", "send", "after"];
}

function deviationsAt(
  { kind, traits }: Fault,
  point: TimedPoint,
  choices: (point: StrikePoint) => readonly FaultParams[],
  mostCost: number,
): readonly RankedDeviation[] {
  // What is done after a lease is over seldom rests on it.
  const least = point.rank * 3 + (point.hasOutlived ? 1 : 0);
  if (least > mostCost) return [];
  const heals = traits.duration === "lasting" && !killsClients(traits);
  const lengths = heals ? point.lengths : [undefined];
  return choices(point).flatMap((params, choice) =>
    lengths.flatMap((forMs, length) => {
      const cost = least + choice * 2 + length * 2;
      if (cost > mostCost) return [];
      const until = forMs === undefined ? {} : { until: later(point.at, forMs) };
      const step: FaultStep = { kind, params, at: point.at, ...until };
      return [
        {
          kind: deviationKindOf(traits),
          sort: point.sort,
          cost,
          step,
          way: `${kind} ${choice}`,
          length,
          point: point.words,
          atMs: point.atMs,
          get at() {
            const long = forMs === undefined ? "" : ` for ${forMs} ms`;
            return `${kind} ${JSON.stringify(params)} ${point.words}${long}`;
          },
          apply: (to: Plan) => ({ ...to, faults: [...to.faults, step] }),
        },
      ];
    }),
  );
}

/** For how long a fault is in force that is to hold one message, in milliseconds. */
const INSTANT_MS = 1;

/** Each message, or its reply, held alone: what the same client sends later on another connection overtakes it. */
function ofOneMessage(
  { plan, deadlines }: Base,
  fault: Fault,
  points: readonly TimedPoint[],
  mostCost: number,
): readonly RankedDeviation[] {
  const { kind } = fault;
  if (fault.holdsOne === undefined) return [];
  return points.flatMap((point) => {
    const way = point.phase === "send" ? "there" : point.phase === "after" ? "back" : undefined;
    if (way === undefined) return [];
    const least = (point.rank + (way === "back" ? 1 : 0)) * 3 + (point.hasOutlived ? 1 : 0);
    const around = point.lengths.map((forMs, length) => ({ forMs, length, sort: "alone", cost: least + length * 2 }));
    const strikesNext = way === "there" && point.changesHold;
    const intoNext = strikesNext ? lengthIntoNextHold(deadlines, point.client, point.atMs) : undefined;
    const lengths = [...around, ...(intoNext === undefined ? [] : [intoNextHold(intoNext, least)])];
    return lengths.flatMap(({ forMs, length, sort, cost }) => {
      const params =
        cost > mostCost ? undefined : fault.holdsOne?.(focusOf(plan, point, deadlines.leaseMs), way, forMs);
      if (params === undefined) return [];
      const step: FaultStep = { kind, params, at: point.at, until: later(point.at, INSTANT_MS) };
      return [
        {
          kind: "hold-one-message",
          sort: `${point.sort} ${sort}`,
          cost,
          step,
          way: `${kind} alone`,
          length,
          point: point.words,
          atMs: point.atMs,
          get at() {
            return `${kind} of one message ${point.words} for ${forMs} ms`;
          },
          apply: (to: Plan) => ({ ...to, faults: [...to.faults, step] }),
        },
      ];
    });
  });
}

/** What arrives where it lets somebody else in is sure to matter, other lengths are not: it comes before those. */
function intoNextHold({ forMs, isWanted }: IntoNextHold, least: number) {
  return { forMs, length: 0, sort: "alone, into the next hold", cost: isWanted ? least - 3 : least };
}

/** The parameters with which a fault is tried at a point: the same ones wherever the client and its servers are. */
function choicesOf(fault: Fault, { plan, deadlines }: Base): (point: StrikePoint) => readonly FaultParams[] {
  const { topology, clients } = plan;
  const known = new Map<string, readonly FaultParams[]>();
  const choose = (point: StrikePoint): readonly FaultParams[] => {
    if (fault.choices !== undefined) return fault.choices(focusOf(plan, point, deadlines.leaseMs));
    const drawn = fault.arbitrary(topology, clients.length);
    return drawn === undefined ? [] : fc.sample(drawn, { seed: 1, numRuns: DRAWN });
  };
  return (point) => {
    const where = [point.client, ...point.servers].join(" ");
    const choices = known.get(where) ?? choose(point);
    known.set(where, choices);
    return choices;
  };
}

function focusOf({ topology, clients }: Plan, { client, servers }: StrikePoint, leaseMs: number): FaultFocus {
  return { topology, clients: clients.length, client, servers, leaseMs };
}

function later(trigger: Trigger, ms: number): Trigger {
  return "atMs" in trigger ? { atMs: trigger.atMs + ms } : { ...trigger, afterMs: (trigger.afterMs ?? 0) + ms };
}
