import { type ClientPlan, type FaultStep, type Plan, planSchema } from "../../core/plan.ts";
import { ANCHORS, type Anchor, type EventTrigger, isEventTrigger, type Trigger } from "../../core/trigger.ts";
import { clientOf } from "../../history/clients.ts";
import type { History } from "../../history/history.ts";

/** Something a client did, as a trigger can name it. */
interface Moment {
  readonly on: Anchor;
  readonly client: number;
  /** It is the k-th of its kind that this client did. */
  readonly count: number;
  readonly atMs: number;
}

/** Less than this, in milliseconds, is the time that messages take and no delay to ask for. */
const SOON_MS = 5;
/** How much later than another client's event a client may begin, so that the other comes first for certain. */
const HEAD_STARTS_MS = [10, 50];

/**
 * Plans that ask for the order of events which their run only happened to have: a section begins after what another
 * client did before it, a fault comes at an event instead of at a time. Each differs from the plan in one trigger.
 */
export function pinnedPlans(plan: Plan, { events }: History): readonly Plan[] {
  const moments = momentsOf(events, plan.clients.length);
  const starts = pinnedStarts(plan, moments);
  const faults = [...namedFaults(plan, moments), ...pinnedFaults(plan, events, moments)];
  const single = [...starts, ...faults].map((pin) => pin(plan));
  // One alone may not help: who comes first, and whose event a fault waits for, depend on each other.
  const pairs = starts.flatMap((start) => faults.map((fault) => fault(start(plan))));
  // As a file of the plan gives it back.
  return [...single, ...pairs].map((pinned) => planSchema.parse(pinned));
}

/** Asks for something in a plan. */
type Pin = (plan: Plan) => Plan;

function momentsOf(events: History["events"], clients: number): readonly Moment[] {
  const counts = new Map<string, number>();
  return events.flatMap((event) => {
    if (typeof event.process !== "number") return [];
    const on = ANCHORS.find((anchor) => anchor === (event.type === "lost" ? "lost" : `${event.f}:${event.type}`));
    if (on === undefined) return [];
    const client = clientOf(event.process, clients);
    const count = (counts.get(`${client} ${on}`) ?? 0) + 1;
    counts.set(`${client} ${on}`, count);
    return [{ on, client, count, atMs: event.time / 1e6 }];
  });
}

/**
 * The first section of each client begins after another client's event: who comes first is else a matter of jitter, or of
 * how long a process takes to start.
 */
function pinnedStarts({ clients }: Plan, moments: readonly Moment[]): readonly Pin[] {
  return clients.flatMap(({ sections: [first] }, client): readonly Pin[] => {
    const place = moments.findIndex((moment) => moment.client === client);
    const begun = moments[place];
    if (first === undefined || begun === undefined || !beginsByTheClock(first)) return [];
    const others = (of: readonly Moment[]): readonly Moment[] => of.filter((moment) => moment.client !== client);
    const before = others(moments.slice(0, place)).at(-1);
    const granted = others(moments.slice(place)).find(({ on }) => on === "acquire:ok");
    return [before, granted]
      .filter((moment) => moment !== undefined)
      .flatMap((moment) => [
        ...triggersFor(moment, begun.atMs),
        ...HEAD_STARTS_MS.map((afterMs) => ({ ...triggerAt(moment), afterMs })),
      ])
      .map((after) => (plan) => startingAfter(plan, client, after));
  });
}

function beginsByTheClock({ after }: ClientPlan["sections"][number]): boolean {
  return after === undefined || "atMs" in after;
}

function startingAfter(plan: Plan, client: number, after: Trigger): Plan {
  const clients = plan.clients.map(({ sections }, index) => ({
    sections: sections.map((section, place) => (index === client && place === 0 ? { ...section, after } : section)),
  }));
  return { ...plan, clients };
}

/** A fault that waits for an event of any client waits for that of the client that did it. */
function namedFaults({ faults }: Plan, moments: readonly Moment[]): readonly Pin[] {
  return faults.flatMap((step, index): readonly Pin[] => {
    const named = (trigger: Trigger): Trigger => {
      if (!isEventTrigger(trigger) || trigger.client !== undefined) return trigger;
      const own = moments.filter(({ on }) => on === trigger.on)[(trigger.count ?? 1) - 1];
      return own === undefined ? trigger : { ...trigger, client: own.client, count: own.count };
    };
    const { at, until } = step;
    const pinned = { at: named(at), ...(until === undefined ? {} : { until: named(until) }) };
    if (pinned.at === at && pinned.until === until) return [];
    return [(plan) => withFault(plan, index, pinned)];
  });
}

/** Each trigger of a fault as the last event before the fault was seen to come, or to be healed. */
function pinnedFaults({ faults }: Plan, events: History["events"], moments: readonly Moment[]): readonly Pin[] {
  return faults.flatMap((step, index) =>
    EDGES.flatMap(({ edge, phase }): readonly Pin[] => {
      const seen = events.find(({ type, value }) => type === "fault" && value.step === index && value.phase === phase);
      if (step[edge] === undefined || seen === undefined) return [];
      const atMs = seen.time / 1e6;
      const before = moments.findLast((moment) => moment.atMs <= atMs);
      if (before === undefined) return [];
      return triggersFor(before, atMs).map((trigger) => (plan) => withFault(plan, index, { [edge]: trigger }));
    }),
  );
}

const EDGES = [
  { edge: "at", phase: "start" },
  { edge: "until", phase: "heal" },
] as const;

function withFault(plan: Plan, index: number, pinned: Partial<FaultStep>): Plan {
  return { ...plan, faults: plan.faults.map((step, place) => (place === index ? { ...step, ...pinned } : step)) };
}

function triggerAt({ on, client, count }: Moment): EventTrigger {
  return { on, client, count };
}

/** At the moment, or as long after it as it was; only one of them where that is soon. */
function triggersFor(moment: Moment, wantedMs: number): readonly Trigger[] {
  const at = triggerAt(moment);
  const afterMs = Math.round(wantedMs - moment.atMs);
  return afterMs < SOON_MS ? [at] : [{ ...at, afterMs }, at];
}
