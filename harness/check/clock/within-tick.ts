import { traitsOf } from "../../../faults/traits.ts";
import { killsClients } from "../../core/fault-traits.ts";
import type { HistoryEvent } from "../../history/history.ts";
import type { Actor } from "./drawn-values.ts";

/** An event of a tick, in its place. */
export interface Placed {
  readonly event: HistoryEvent;
  /** Its place says too much: an operation of another process follows it that may have begun earlier. */
  readonly saysTooMuch: boolean;
}

/**
 * The events of one tick of a coarse clock in the order that says least of what came before what. One operation certainly
 * preceded another only if it ended before that began. So what begins comes first and what ends comes last, except that each
 * process keeps the order of its own events. Of the processes that end one operation and begin another, those in front then seem
 * to have ended theirs before the ones behind began the next. In front of all are those that end within the tick: whose clients go
 * on under other numbers, after an operation of unknown outcome, so that whatever follows may be theirs; and whose clients a fault
 * killed, perhaps before anything else happened. Only extensions that are under way at the end of the tick are asked for still earlier.
 *
 * @param inOneOrder by process, the one that it goes on after within the tick, if there is one
 */
export function withinTick(
  events: readonly HistoryEvent[],
  inOneOrder: ReadonlyMap<Actor, Actor> = new Map(),
): readonly Placed[] {
  const actorOf = ({ process }: HistoryEvent): Actor => inOneOrder.get(process) ?? process;
  if (new Set(events.map(actorOf)).size <= 1) return events.map(inPlace);
  const over = new Set(events.flatMap(endedBy));
  const [early, late] = partition(events, ({ process }) => over.has(process));
  // Whose client goes on under another number may use the value that such an extension drew.
  const ofActor = Map.groupBy(late, actorOf);
  const [extending, others] = partition(
    late,
    (event) => isExtending(event) && ofActor.get(actorOf(event))?.length === 1,
  );
  const chains = chainsOf(others, actorOf);
  const inChains = new Set(chains.flat());
  const rest = others.filter((event) => !inChains.has(event));
  // A notice about a lease may be about a hold that the same process was just granted.
  const ended = new Set<HistoryEvent>();
  const since = new Set<Actor>();
  for (const event of others) {
    if (endsSomething(event)) since.add(actorOf(event));
    if (endsSomething(event) || (isNotice(event) && since.has(actorOf(event)))) ended.add(event);
  }
  const [ends, begins] = partition(rest, (event) => ended.has(event));
  return [
    ...extending.map(inPlace),
    ...early.map((event) => ({ event, saysTooMuch: event.type === "ok" })),
    ...begins.map(inPlace),
    ...chains.flatMap((chain, at) => placedInFrontOf(chain, chains.slice(at + 1))),
    ...ends.map(inPlace),
  ];
}

function isExtending({ type, f }: HistoryEvent): boolean {
  return type === "invoke" && f === "extend";
}

/** The processes that end with the event. */
function endedBy(event: HistoryEvent): readonly HistoryEvent["process"][] {
  if (event.type === "info") return [event.process];
  if (event.type !== "fault" || event.value.phase !== "start" || !killsClients(traitsOf(event.f))) return [];
  return event.value.processes ?? [];
}

function inPlace(event: HistoryEvent): Placed {
  return { event, saysTooMuch: false };
}

function partition<T>(items: readonly T[], matches: (item: T) => boolean): readonly [T[], T[]] {
  const [those, others]: [T[], T[]] = [[], []];
  for (const item of items) (matches(item) ? those : others).push(item);
  return [those, others];
}

/**
 * By process that ends an operation and begins another: what it did between the first end and the last beginning. Those with more
 * grants come last, where their ends say nothing.
 */
function chainsOf(
  events: readonly HistoryEvent[],
  actorOf: (event: HistoryEvent) => Actor,
): readonly (readonly HistoryEvent[])[] {
  const byProcess = new Map<Actor, HistoryEvent[]>();
  for (const event of events) {
    if (typeof event.process !== "number") continue;
    const own = byProcess.get(actorOf(event));
    if (own === undefined) byProcess.set(actorOf(event), [event]);
    else own.push(event);
  }
  return [...byProcess.values()]
    .map((own) => own.slice(own.findIndex(endsSomething), own.findLastIndex(beginsSomething) + 1))
    .filter((chain) => chain.length > 1)
    .toSorted((one, other) => grantsIn(one) - grantsIn(other));
}

function grantsIn(chain: readonly HistoryEvent[]): number {
  return chain.filter(({ type, f }) => type === "ok" && f !== "release").length;
}

function placedInFrontOf(
  chain: readonly HistoryEvent[],
  others: readonly (readonly HistoryEvent[])[],
): readonly Placed[] {
  const begun = new Set(others.flatMap((other) => keysBegunLate(other)));
  return chain.map((event) => ({ event, saysTooMuch: event.type === "ok" && begun.has(event.key) }));
}

/** The keys of the operations that a process began after it had ended another. */
function keysBegunLate(chain: readonly HistoryEvent[]): readonly string[] {
  return chain.flatMap((event) => ("key" in event && beginsSomething(event) ? [event.key] : []));
}

/** A lease that the lock renewed, or lost, is so from the notice on, or from the grant before it: others may come after that. */
function beginsSomething({ type }: HistoryEvent): boolean {
  return type === "invoke" || isNotice({ type });
}

function isNotice({ type }: Pick<HistoryEvent, "type">): boolean {
  return type === "renewed" || type === "lost";
}

function endsSomething(event: HistoryEvent): boolean {
  if (event.type === "fault") return event.value.phase === "heal";
  return ["ok", "fail", "info", "audit", "notice"].includes(event.type);
}
