import {
  PROPERTIES,
  type Cause,
  type Holder,
  type Property,
  type Verdict,
  type Violation,
} from "../../harness/core/verdict.ts";
import type { HistoryEvent } from "../../harness/history/history.ts";
import { RESOURCE } from "../../harness/core/topology.ts";
import type { FaultSpan } from "./fault-spans.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { touches, type Interval } from "../../harness/history/interval.ts";
import { byNumber, type Timeline } from "./timeline.ts";
import { clientIsToBlame } from "../wording.ts";

/** One violation with everything that a picture of it shows. */
export interface Story {
  /** The properties that it violates, at least one. */
  readonly properties: readonly Property[];
  readonly violation: Violation;
  /** What the checkers say: a paragraph for each property that sees it in its own way, and once what led to it. */
  readonly explanations: readonly string[];
  /** The conflicting holds, the earliest first: two, or all of too many for the permits that there are; empty where the violation is about something else. */
  readonly holds: readonly HoldSpan[];
  /** The stretch that the picture covers. */
  readonly window: Interval;
  /** When the property was violated, for a reader who sees no picture. */
  readonly at: number;
  /** The fault that enabled it. */
  readonly enabling?: FaultSpan | undefined;
  /** Every fault and observation that is in force within the window. */
  readonly faults: readonly FaultSpan[];
  /** Names of the lanes, from top to bottom: clients, nodes, the resource. */
  readonly lanes: readonly string[];
  /** Names of the lanes in conflict: those of the holders, or without any of the clients that the proof names. */
  readonly conflicting: readonly string[];
  /** The keys that its events are about. */
  readonly keys: readonly string[];
}

/** A timeline without what servers thought of keys that a story is not about, and without the writes behind those. */
export function aboutKeys({ keys }: Pick<Story, "keys">, timeline: Timeline): Timeline {
  if (keys.length === 0) return timeline;
  const others = new Set(timeline.operations.flatMap(({ key }) => (keys.includes(key) ? [] : [key])));
  if (others.size === 0) return timeline;
  return {
    ...timeline,
    bands: timeline.bands.filter((band) => !others.has(band.key)),
    writes: timeline.writes.filter((write) => !others.has(write.key)),
  };
}

/**
 * The violations of a verdict, each once even if several properties see it: those of the lock before those of clients that
 * outlived their leases, and both in the order of the properties.
 */
export function storiesOf(verdict: Verdict, timeline: Timeline, events: readonly HistoryEvent[]): readonly Story[] {
  const groups: Group[] = [];
  const alike = new Map<string, Group[]>();
  for (const property of PROPERTIES) {
    for (const violation of verdict.properties[property]?.violations ?? []) {
      const candidates = alike.get(resemblance(violation)) ?? [];
      const known = candidates.find(({ violations }) => violations.some((other) => isSame(violation, other)));
      if (known !== undefined) {
        if (!known.properties.includes(property)) known.properties.push(property);
        known.violations.push(violation);
        continue;
      }
      const group = { properties: [property], violations: [violation] };
      groups.push(group);
      alike.set(resemblance(violation), [...candidates, group]);
    }
  }
  return groups.toSorted((one, other) => blame(one) - blame(other)).map((group) => storyOf(group, timeline, events));
}

function blame({ violations: [violation] }: Group): number {
  return Number(violation !== undefined && clientIsToBlame(violation.cause));
}

/** What several properties report of one violation. */
interface Group {
  readonly properties: Property[];
  readonly violations: Violation[];
}

/** The causes that lie in the fencing token of one grant. */
const TOKEN_CAUSES: readonly Cause[] = ["token-rollback", "token-overtaken"];

/** What two identical violations always share: the cause and the two holders, if it is not the fencing token of one. */
function resemblance({ cause, holders }: Violation): string {
  if (TOKEN_CAUSES.includes(cause)) return cause;
  return JSON.stringify([cause, holders?.map(({ process, owner }) => [process, owner]).sort() ?? null]);
}

/**
 * Whether two similar violations are the same: the proof of one is part of the proof of the other. The holders alone do
 * not decide: a bad lock uses one owner value many times. Two that blame the fencing token of the same grant are the same,
 * whatever else shows that it is wrong.
 */
function isSame(one: Violation, other: Violation): boolean {
  if (TOKEN_CAUSES.includes(one.cause)) return one.events.at(-1) === other.events.at(-1);
  const within = (inner: Violation, outer: Violation): boolean =>
    inner.events.every((index) => outer.events.includes(index));
  return within(one, other) || within(other, one);
}

function storyOf(group: Group, timeline: Timeline, events: readonly HistoryEvent[]): Story {
  const violation = group.violations.find(({ overlap }) => overlap !== undefined) ?? group.violations[0];
  if (violation === undefined) throw new RangeError("a story is about a violation");
  const holds = holdsOf(violation, timeline);
  const { fault } = violation;
  const enabling =
    fault === undefined
      ? undefined
      : timeline.faults.find(({ started, healed }) => fault === started || fault === healed);
  const window = windowOf(violation, holds, enabling, timeline, events);
  const at = timeOf(group.properties, violation, events) ?? window.from;
  const faults = timeline.faults.filter((fault) => fault.outcome !== "skipped" && touches(fault, window));
  const keys = keysOf(violation, events);
  return {
    properties: group.properties,
    keys,
    violation,
    explanations: explanationsOf(group.violations),
    holds,
    window,
    at,
    enabling,
    faults,
    lanes: lanesOf(violation, { keys, holds, faults, timeline: aboutKeys({ keys }, timeline), window, events }),
    conflicting: conflictingOf(violation, holds, timeline, events),
  };
}

function conflictingOf(
  violation: Violation,
  holds: readonly HoldSpan[],
  timeline: Timeline,
  events: readonly HistoryEvent[],
): readonly string[] {
  const holders = holds.map(({ actor }) => actor);
  const lanes = holders.length > 0 ? holders : actorsIn(violation, timeline, events);
  return [...new Set(lanes)];
}

/** Who did what the events say that prove a violation: clients, or tasks of them. */
function actorsIn({ events }: Violation, timeline: Timeline, all: readonly HistoryEvent[]): readonly string[] {
  return events.flatMap((index) => {
    const process = all[index]?.process;
    return typeof process === "number" ? [timeline.actorOf(process)] : [];
  });
}

/** What each property saw, and once what led to it: several properties see the same violation, but it has one cause. */
function explanationsOf(violations: readonly Violation[]): readonly string[] {
  const told = new Set<string>();
  const different = new Map(violations.map((violation) => [violation.explanation, violation]));
  return [...different.values()].map(({ explanation, finding }) => {
    const account = finding?.account ?? "";
    if (account === "" || !explanation.startsWith(account)) return explanation;
    const cause = explanation.slice(account.length);
    if (told.has(cause)) return account;
    told.add(cause);
    return explanation;
  });
}

/** The two holds that a violation names, and those that it proves to have been too many beside them. */
export function holdsOf(violation: Violation, timeline: Timeline): readonly HoldSpan[] {
  const { holders = [], overlap, events } = violation;
  const named = holders.map((holder) => holdOf(holder, violation, timeline)).filter((hold) => hold !== undefined);
  const keys = new Set(named.map(({ key }) => key));
  // The events last: a proof may consist of hundreds.
  const beside = timeline.holds.filter(
    (hold) => overlap !== undefined && keys.has(hold.key) && touches(hold, overlap) && events.includes(hold.granted),
  );
  const holds = [...new Set([...named, ...beside])];
  return beside.length > named.length ? holds.sort((one, other) => one.granted - other.granted) : holds;
}

/** What happens in the stretch in which a property is violated, as its mark in a picture says. */
export function overlapWords({ properties, holds }: Pick<Story, "properties" | "holds">): string {
  if (properties.includes("deadlock-freedom")) return "no client gets it";
  if (properties.includes("first-come-first-served")) return "overtaken";
  if (holds.length < 2) return "violated";
  return holds.length === 2 ? "both hold" : "all hold";
}

/**
 * One owner value may have been used for several holds: the hold that the violation names, or that overlaps, is meant.
 */
function holdOf(holder: Holder, { events, overlap }: Violation, { holds }: Timeline): HoldSpan | undefined {
  const candidates = holds.filter(({ process, owner }) => process === holder.process && owner === holder.owner);
  return (
    candidates.find(({ granted }) => events.includes(granted)) ??
    candidates.find((hold) => overlap !== undefined && touches(hold, overlap)) ??
    candidates[0]
  );
}

/**
 * From the first attempt of the conflicting clients, or the fault that enabled it, to the end of their holds, with a
 * margin on both sides.
 */
function windowOf(
  { events: proof, overlap }: Violation,
  holds: readonly HoldSpan[],
  enabling: FaultSpan | undefined,
  timeline: Timeline,
  events: readonly HistoryEvent[],
): Interval {
  const proven = proof.map((index) => events[index]?.time).filter((time) => time !== undefined);
  const instants = [
    ...proven,
    ...holds.flatMap((hold) => [hold.invokedAt, hold.from, hold.to]),
    ...(enabling === undefined ? [] : [enabling.from, enabling.to]),
    ...(overlap === undefined ? [] : [overlap.from, overlap.to]),
  ];
  if (instants.length === 0) return { from: 0, to: Math.max(timeline.end, 1) };
  const from = Math.min(...instants);
  const to = Math.max(...instants);
  const air = Math.max((to - from) * 0.03, 1e6);
  return { from: Math.max(0, from - air), to: to + air };
}

/**
 * When two were granted too much; when a client was refused what nobody held; or when a client did, or was told, what shows the
 * violation, and not when the resource's record of its writes was collected.
 */
function timeOf(
  properties: readonly Property[],
  { overlap, finding, events }: Violation,
  all: readonly HistoryEvent[],
): number | undefined {
  if (overlap !== undefined) return properties.includes("deadlock-freedom") ? overlap.to : overlap.from;
  const shown = (finding?.events ?? events).flatMap((index) => all[index] ?? []);
  return (shown.findLast(({ type }) => type !== "audit") ?? shown.at(-1))?.time;
}

function keysOf({ events }: Violation, all: readonly HistoryEvent[]): readonly string[] {
  const named = events.map((index) => all[index]).flatMap((event) => (event && "key" in event ? [event.key] : []));
  return [...new Set(named.filter((key) => key !== undefined))];
}

function lanesOf(
  violation: Violation,
  {
    keys: [key],
    holds,
    faults,
    timeline,
    window,
    events,
  }: Pick<Story, "keys" | "holds" | "faults" | "window"> & {
    readonly timeline: Timeline;
    readonly events: readonly HistoryEvent[];
  },
): readonly string[] {
  const actors = new Set([...holds.map(({ actor }) => actor), ...actorsIn(violation, timeline, events)]);
  for (const hold of timeline.holds) if (hold.key === key && touches(hold, window)) actors.add(hold.actor);
  // What another task of the same client did meanwhile may have disturbed this one, also with another key.
  const clients = new Set(timeline.operations.flatMap(({ actor, client }) => (actors.has(actor) ? [client] : [])));
  for (const span of timeline.operations) if (clients.has(span.client) && touches(span, window)) actors.add(span.actor);
  const hit = new Set(faults.flatMap(({ lanes }) => lanes));
  const named = [...actors];
  const paused = [...hit].filter((lane) => lane.startsWith("client-") && !named.includes(lane));
  const asked = timeline.bands.filter((band) => band.key === key && touches(band, window)).map(({ server }) => server);
  const nodes = [...new Set([...hit, ...asked])].filter(
    (lane) => lane.startsWith("node-") || lane.startsWith("sentinel-"),
  );
  const writes = timeline.writes.some((write) => touches({ from: write.time, to: write.time }, window));
  return [
    ...[...named, ...paused].sort(byNumber),
    ...nodes.sort(byNumber),
    ...(writes || hit.has(RESOURCE) ? [RESOURCE] : []),
  ];
}
