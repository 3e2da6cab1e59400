import { isEventTrigger, isMessageTrigger, type Trigger } from "../core/trigger.ts";
import type { Change, TimedFault } from "../core/verdict.ts";
import { clientOf } from "../history/clients.ts";
import type { History } from "../history/history.ts";
import type { JudgedRun } from "./changed-run.ts";
import { startsOf } from "./comparison.ts";
import { ordinalOf } from "./ordinals.ts";

const NS_PER_MS = 1e6;

export type WithoutOperation = Extract<Change, { readonly kind: "without-operation" }>;

/** The change without this release or extension; undefined if that cannot be left out. */
export function withoutOperation(history: History, invoked: number): WithoutOperation | undefined {
  const event = history.events[invoked];
  const { clients } = history.header;
  if (event?.type !== "invoke" || (event.f !== "release" && event.f !== "extend")) return undefined;
  if (clients === undefined) return undefined;
  const ordinal = ordinalOf(history, event);
  if (ordinal === undefined) return undefined;
  return { kind: "without-operation", client: clientOf(event.process, clients), f: event.f, ordinal };
}

/**
 * The change without an operation, with the faults that waited for something of this operation at the time at which they
 * came. Without it they come later or never, so that a run without it alone is a run without those faults too. Undefined
 * if there is no such fault.
 *
 * @param invoked index of the invocation of the operation
 * @param other the run without it
 */
export function withTimedFaults(
  original: JudgedRun,
  change: WithoutOperation,
  invoked: number,
  other: JudgedRun,
): WithoutOperation | undefined {
  const { events, header } = original.history;
  const invocation = events[invoked];
  if (change.timed !== undefined || invocation === undefined) return undefined;
  const end = events.find(
    ({ index, process, type }) => index > invoked && process === invocation.process && type !== "invoke",
  );
  const client = typeof invocation.process === "number" ? clientOf(invocation.process, header.clients) : undefined;
  const cameAt = new Map(startsOf(other).map(({ time, value }) => [value.step, time]));
  const timed = startsOf(original).flatMap(({ time, value: { step = -1, outcome } }): readonly TimedFault[] => {
    const at = original.plan.faults[step]?.at;
    if (at === undefined || outcome === "skipped" || cameAt.get(step) === time) return [];
    const triggered = time - delayOf(at);
    const isDuring = triggered >= invocation.time && triggered <= (end?.time ?? Infinity);
    if (!isDuring || !mayBeOf(at, client)) return [];
    return [{ step, atMs: time / NS_PER_MS, untilMs: healedAtMs(original, step) }];
  });
  return timed.length === 0 ? undefined : { ...change, timed };
}

function delayOf(at: Trigger): number {
  return "afterMs" in at ? (at.afterMs ?? 0) * NS_PER_MS : 0;
}

/** Whether this trigger may wait for something that the client does. */
function mayBeOf(at: Trigger, client: number | undefined): boolean {
  return (isEventTrigger(at) || isMessageTrigger(at)) && (at.client === undefined || at.client === client);
}

/** When the fault was healed, if the plan does not say so by a time or by the fault itself. */
function healedAtMs({ plan, history }: JudgedRun, step: number): number | undefined {
  const until = plan.faults[step]?.until;
  if (until === undefined || "atMs" in until || ("on" in until && until.on.startsWith("fault:"))) return undefined;
  const heal = history.events.find(
    ({ type, value }) => type === "fault" && value.step === step && value.phase === "heal",
  );
  return heal === undefined ? undefined : heal.time / NS_PER_MS;
}
