import type { FaultStep, Plan, Section } from "../../harness/core/plan.ts";
import { topologyOf } from "../../harness/core/topologies/registry.ts";
import { ANCHORS, type Anchor, type EventTrigger, isAnchorOf, type Trigger } from "../../harness/core/trigger.ts";
import { fits, type Share, shareOf } from "../../harness/core/sharing.ts";
import { type History, type HistoryEvent, ONE_OF_SEVERAL } from "../../harness/history/history.ts";
import { collectHolds, type HoldSpan } from "../../harness/history/hold-spans.ts";
import { collectOperations, type OperationSpan } from "../../harness/history/operation-spans.ts";
import { outlasting } from "./outlasting.ts";

/**
 * The same plan with what did not come about aimed at moments that came in its run: a fault whose trigger never came, at
 * an event that did; a fault that had no effect, at a moment at which somebody holds; and a run in which nobody contended
 * gets one more client, which comes while somebody holds; and where a fault kept everybody from being granted the lock, clients
 * try until it is over. Undefined where nothing can be aimed better.
 * @param history of a run of the plan, in which it decided nothing
 */
export function retargeted(plan: Plan, history: History): Plan | undefined {
  const holds = collectHolds(history.events, history.events.at(-1)?.time ?? 0, { clients: plan.clients.length });
  const faults = plan.faults.map((fault, step) => better(fault, { step, plan, history, holds }));
  const moved = faults.some((fault, index) => fault !== plan.faults[index]);
  const clients = moved ? plan.clients : withContender(plan, history, holds);
  return moved || clients !== plan.clients ? { ...plan, faults, clients } : outlasting(plan, history);
}

/** A fault of a plan, and what its run recorded. */
interface Recorded {
  readonly step: number;
  readonly plan: Plan;
  readonly history: History;
  readonly holds: readonly HoldSpan[];
}

function better(fault: FaultStep, recorded: Recorded): FaultStep {
  const { events } = recorded.history;
  const start = events.find(
    (event) => event.type === "fault" && event.value.phase === "start" && event.value.step === recorded.step,
  );
  if (start?.type !== "fault" || start.value.outcome === "installed") return fault;
  const { outcome, targets } = start.value;
  // It came, but its target was dead or stopped already: no other moment is known to be better.
  if (outcome === "skipped" && targets.length > 0) return fault;
  const at = outcome === "skipped" ? thatCame(fault.at, recorded) : whileHeld(start, recorded);
  return at === undefined ? fault : movedTo(fault, at);
}

/** An event like the one that never came: of its kind and client, or else of its client, or else any, as for a time after the end. */
function thatCame(trigger: Trigger, { plan, history }: Recorded): EventTrigger | undefined {
  const all = occurrencesIn(history, plan);
  if ("atMs" in trigger) {
    const any = all[Math.floor(trigger.atMs) % Math.max(1, all.length)];
    return any === undefined ? undefined : countedIn(all, any);
  }
  const { client, count = 1 } = trigger;
  const ofKind = "on" in trigger ? all.filter(({ on }) => isAnchorOf(trigger.on, on)) : [];
  const ofClient = (each: { readonly client: number }): boolean => client === undefined || each.client === client;
  const pools = [ofKind.filter(ofClient), ofKind, all.filter(ofClient), all];
  const pool = pools.find((each) => each.length > 0);
  const chosen = pool?.[(count - 1) % pool.length];
  return chosen === undefined ? undefined : { ...countedIn(all, chosen), ...delayOf(trigger) };
}

/** The first grant after the fault had no effect, or else the last one before. */
function whileHeld(start: HistoryEvent, { plan, history, holds }: Recorded): EventTrigger | undefined {
  const chosen = holds.find(({ granted }) => granted > start.index) ?? holds.at(-1);
  const all = occurrencesIn(history, plan);
  const occurrence = chosen && grantOf(chosen, all);
  return occurrence === undefined ? undefined : countedIn(all, occurrence);
}

/** Something that a trigger can wait for, as it happened. */
interface Occurrence {
  readonly on: Anchor;
  readonly client: number;
  readonly index: number;
}

/**
 * All of them. Of an operation on several keys each has an event, under process numbers of its client's; triggers see that of the
 * first key, which has the lowest number and is recorded last.
 */
function occurrencesIn({ events }: Pick<History, "events">, { clients }: Plan): readonly Occurrence[] {
  const lowest = clients.map((_, client) => client);
  const unanswered = clients.map(() => 0);
  return events.flatMap((event) => {
    const { process, index, type, f = "" } = event;
    if (typeof process !== "number") return [];
    const client = process % clients.length;
    if (type === "info") unanswered[client] = (unanswered[client] ?? 0) + 1;
    if (process !== lowest[client]) return [];
    if (type === "info") {
      // None of the numbers of an operation without an answer is used again.
      lowest[client] = process + clients.length * (unanswered[client] ?? 0);
      unanswered[client] = 0;
    }
    const on = ANCHORS.find((anchor) => anchor === `${f}:${type}`);
    return on === undefined ? [] : [{ on, client, index }];
  });
}

/** The grant that began a hold, as triggers see it. */
function grantOf({ granted, client }: HoldSpan, all: readonly Occurrence[]): Occurrence | undefined {
  return all.find((each) => each.on === "acquire:ok" && each.client === client && each.index >= granted);
}

function countedIn(all: readonly Occurrence[], { on, client, index }: Occurrence): EventTrigger {
  const count = all.filter((each) => each.on === on && each.client === client && each.index <= index).length;
  return { on, client, count };
}

function delayOf({ afterMs }: Exclude<Trigger, { readonly atMs: number }>): { readonly afterMs?: number } {
  return afterMs === undefined ? {} : { afterMs };
}

/** The fault at another moment, for as long as before. */
function movedTo({ until, ...fault }: FaultStep, at: EventTrigger): FaultStep {
  if (until === undefined) return { ...fault, at };
  const lastsMs = sinceItsEvent(until) - sinceItsEvent(fault.at);
  if (lastsMs <= 0) return { ...fault, at, until };
  return { ...fault, at, until: { ...at, afterMs: (at.afterMs ?? 0) + lastsMs } };
}

function sinceItsEvent(trigger: Trigger): number {
  return "atMs" in trigger ? trigger.atMs : (trigger.afterMs ?? 0);
}

/** A hold that is shorter than this may be over before anybody else asks. */
const BRIEF_NS = 5e6;
/** How long after the longest lease a lock that nobody holds must be free. */
const SETTLING_MS = 2500;

/**
 * One more client, if nobody contended: it comes when the longest hold begins, or together with its holder if that gives
 * the lock back at once.
 */
function withContender(plan: Plan, { events }: History, holds: readonly HoldSpan[]): Plan["clients"] {
  if (isContended(plan, events, holds)) return plan.clients;
  const [longest] = holds.toSorted((one, other) => other.to - other.from - (one.to - one.from));
  const all = occurrencesIn({ events }, plan);
  const occurrence = longest && grantOf(longest, all);
  if (longest === undefined || occurrence === undefined) return plan.clients;
  const isBrief = longest.to - longest.from < BRIEF_NS;
  const invoked = all.findLast(
    ({ on, client, index }) => on === "acquire:invoke" && client === occurrence.client && index < occurrence.index,
  );
  const after = countedIn(all, isBrief && invoked !== undefined ? invoked : occurrence);
  return [...plan.clients, { sections: [contender(plan, longest.key, after)] }];
}

/** Whether somebody asked for the lock while others held it and left no room. */
function isContended({ clients }: Plan, events: readonly HistoryEvent[], holds: readonly HoldSpan[]): boolean {
  return collectOperations(events, events.at(-1)?.time ?? 0, { clients: clients.length }).some((operation) => {
    const { completion, invocation } = operation;
    if (invocation.f !== "acquire") return false;
    const reason = completion?.type === "fail" ? completion.value?.reason : undefined;
    return (
      reason === "contended" || reason === ONE_OF_SEVERAL || isCrowded(operation, shareOf(invocation.value), holds)
    );
  });
}

/** Whether what others held of the key left no room for a share, at some moment while it was asked for. */
function isCrowded({ client, key, from, to }: OperationSpan, share: Share, holds: readonly HoldSpan[]): boolean {
  const others = holds.filter((hold) => hold.key === key && hold.client !== client && hold.from < to && hold.to > from);
  const moments = others.map((hold) => Math.max(from, hold.from));
  return moments.some((moment) => {
    const held = others.filter((hold) => hold.from <= moment && hold.to > moment);
    return !fits(
      share,
      held.map((hold) => hold.share),
    );
  });
}

/** Asks for all that can be had of the key, until it must be free. */
function contender({ clients, topology }: Plan, key: string, after: EventTrigger): Section {
  const sections = clients.flatMap((client) => client.sections).filter((section) => section.key === key);
  const [{ limit, mode } = {}] = sections;
  const ttlMs = Math.max(1, ...sections.map((section) => section.ttlMs));
  return {
    key,
    ttlMs,
    waitMs: Math.max(...sections.map(({ waitMs }) => waitMs)) === 0 ? 0 : ttlMs + SETTLING_MS,
    tries: Math.max(topologyOf(topology.kind).workload.tries, ...sections.map(({ tries }) => tries)),
    ...(limit === undefined ? {} : { limit, ...(limit === 1 ? {} : { permits: limit }) }),
    ...(mode === undefined ? {} : { mode: "exclusive" }),
    after,
    steps: [],
    release: true,
  };
}
