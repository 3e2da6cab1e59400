import type { Share } from "../core/sharing.ts";
import { type Actors, actorOf, clientOf } from "./clients.ts";
import type { HistoryEvent } from "./history.ts";
import { HoldTracker, type Hold } from "./holds.ts";
import { intersection, type Interval } from "./interval.ts";
import { OpenOperations } from "./operations.ts";

/** A client's hold of a lock, as the checkers count it: from the grant to the moment it meant to give it up. */
export interface HoldSpan extends Interval {
  readonly client: number;
  /** Who holds, by name: the client, or a task of it. */
  readonly actor: string;
  readonly process: number;
  readonly key: string;
  readonly owner: string;
  readonly fence: number | undefined;
  /** How it excluded others. */
  readonly share: Share;
  /** Whether a reader became a writer. */
  readonly wasReader: boolean;
  /** When its acquire was invoked. */
  readonly invokedAt: number;
  /** When a lease was in force, on the true clock: merged, ascending. Outside of it the hold is an overrun. */
  readonly lease: readonly Interval[];
  /** When the last lease would have ended by itself, even if the hold ended before. */
  readonly leaseUntil: number;
  /** Whether nobody knows when the lease that the grant set began: it may have ended later than it is counted here. */
  readonly vague: boolean;
  /** When the lease that the grant itself set ended. */
  readonly grantedUntil: number;
  /** What prolonged the lease, in order: extensions that its holder asked for, and renewals by the lock itself. */
  readonly prolonged: readonly Prolonging[];
  readonly endedBy: "release" | "lost" | "kill" | "abandoned" | "end of run";
  /** Indices of its events: the grant, and what ended it. */
  readonly granted: number;
  readonly ended: number | undefined;
}

/** Something that prolonged a lease, or made it shorter. Times are nanoseconds since the start of the run. */
interface Prolonging {
  readonly by: "extension" | "renewal";
  readonly index: number;
  readonly time: number;
  /** The end of the lease that it set. */
  readonly until: number;
}

/** The holds of a history in the order of their grants. `end` is the time of its last event. */
export function collectHolds(events: readonly HistoryEvent[], end: number, actors: Actors): readonly HoldSpan[] {
  const tracker = new HoldTracker(actors);
  const operations = new OpenOperations();
  const leases = new Map<Hold, Interval[]>();
  const prolongings = new Map<Hold, Prolonging[]>();
  for (const event of events) {
    for (const { kind, hold } of tracker.push(event, operations.push(event))) {
      if (kind === "ended") continue;
      if (kind === "extended") {
        const by = event.type === "renewed" ? "renewal" : "extension";
        const { index, time } = event;
        prolongings.set(hold, [...(prolongings.get(hold) ?? []), { by, index, time, until: hold.leaseEnd }]);
      }
      const known = leases.get(hold) ?? [];
      leases.set(hold, prolonged(known, { from: event.time, to: Math.max(event.time, hold.leaseEnd) }));
    }
  }
  return [...leases].map(([hold, lease]) => spanOf(hold, lease, prolongings.get(hold) ?? [], end, actors));
}

function prolonged(known: Interval[], added: Interval): Interval[] {
  const last = known.at(-1);
  if (last === undefined || added.from > last.to) return [...known, added];
  return [...known.slice(0, -1), { from: last.from, to: added.to }];
}

function spanOf(
  hold: Hold,
  lease: readonly Interval[],
  prolonged: readonly Prolonging[],
  end: number,
  actors: Actors,
): HoldSpan {
  const whole = { from: hold.grantedTime, to: hold.end?.time ?? end };
  return {
    client: clientOf(hold.process, actors.clients),
    actor: actorOf(hold.process, actors),
    process: hold.process,
    key: hold.key,
    owner: hold.owner,
    fence: hold.fence,
    share: hold.share,
    wasReader: hold.wasReader,
    invokedAt: hold.invokedTime,
    ...whole,
    lease: lease.map((part) => intersection(part, whole)).filter((part) => part !== undefined),
    vague: hold.vague,
    grantedUntil: hold.grantedLeaseEnd,
    prolonged,
    leaseUntil: lease.at(-1)?.to ?? whole.from,
    endedBy: hold.end?.by ?? "end of run",
    granted: hold.grantedIndex,
    ended: hold.end?.index,
  };
}
