import { HoldTracker, type Hold } from "../harness/check/holds.ts";
import type { Invocation } from "../harness/check/step.ts";
import type { HistoryEvent } from "../harness/core/history.ts";
import { intersection, type Interval } from "./interval.ts";
import type { OperationSpan } from "./timeline.ts";

/** A client's hold of a lock, as the checkers count it: from the grant to the moment it meant to give it up. */
export interface HoldSpan extends Interval {
  readonly client: number;
  readonly process: number;
  readonly key: string;
  readonly owner: string;
  readonly fence?: number;
  /** When its acquire was invoked. */
  readonly invokedAt: number;
  /** When a lease was in force, on the true clock: merged, ascending. Outside of it the hold is an overrun. */
  readonly lease: readonly Interval[];
  /** When the last lease would have ended by itself, even if the hold ended before. */
  readonly leaseUntil: number;
  readonly endedBy: "release" | "lost" | "kill" | "abandoned" | "end of run";
  /** Indices of its events: the grant, and what ended it. */
  readonly granted: number;
  readonly ended?: number;
}

/** The client behind a process: after `info` a client goes on as `process + clients`. */
export function clientOf(process: number, clients: number | undefined): number {
  return clients === undefined ? process : process % clients;
}

/** The holds of a history in the order of their grants. `end` is the time of its last event. */
export function collectHolds(
  events: readonly HistoryEvent[],
  operations: readonly OperationSpan[],
  end: number,
  clients: number | undefined,
): readonly HoldSpan[] {
  const tracker = new HoldTracker(clients);
  const invocations = new Map<number | undefined, Invocation>(
    operations.map(({ completion, invocation }) => [completion?.index, invocation]),
  );
  const leases = new Map<Hold, Interval[]>();
  for (const event of events) {
    for (const { kind, hold } of tracker.push(event, invocations.get(event.index))) {
      if (kind === "ended") continue;
      const known = leases.get(hold) ?? [];
      leases.set(hold, prolonged(known, { from: event.time, to: Math.max(event.time, hold.leaseEnd) }));
    }
  }
  return [...leases].map(([hold, lease]) => spanOf(hold, lease, end, clientOf(hold.process, clients)));
}

function prolonged(known: Interval[], added: Interval): Interval[] {
  const last = known.at(-1);
  if (last === undefined || added.from > last.to) return [...known, added];
  return [...known.slice(0, -1), { from: last.from, to: added.to }];
}

function spanOf(hold: Hold, lease: readonly Interval[], end: number, client: number): HoldSpan {
  const whole = { from: hold.grantedTime, to: hold.end?.time ?? end };
  return {
    client,
    process: hold.process,
    key: hold.key,
    owner: hold.owner,
    ...(hold.fence === undefined ? {} : { fence: hold.fence }),
    invokedAt: hold.invokedTime,
    ...whole,
    lease: lease.map((part) => intersection(part, whole)).filter((part) => part !== undefined),
    leaseUntil: lease.at(-1)?.to ?? whole.from,
    endedBy: hold.end?.by ?? "end of run",
    granted: hold.grantedIndex,
    ...(hold.end === undefined ? {} : { ended: hold.end.index }),
  };
}
