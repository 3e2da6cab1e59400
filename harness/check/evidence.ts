import type { HistoryEvent, HistoryHeader } from "../core/history.ts";
import { ContentionWatch } from "./contention.ts";
import { FaultLog } from "./fault-log.ts";
import { HoldTracker, type Hold, type HoldChange } from "./holds.ts";
import { LeaseOverlaps } from "./lease-overlaps.ts";
import type { Invocation, Step } from "./step.ts";
import { TakingLog } from "./takings.ts";

/**
 * What the checkers share: the open operations, the holds, the faults. It goes through the history once, one event
 * ahead of the checkers, and keeps no more than what is open (and the faults, which are few).
 */
export class Evidence {
  readonly header: HistoryHeader;
  readonly holds: HoldTracker;
  readonly leases = new LeaseOverlaps();
  readonly faults = new FaultLog();
  readonly takings = new TakingLog();
  readonly contention = new ContentionWatch();
  readonly #open = new Map<number, Invocation>();
  #events = 0;
  #endTime = 0;

  constructor(header: HistoryHeader) {
    this.header = header;
    this.holds = new HoldTracker(header.clients);
  }

  /** Number of events so far. */
  get events(): number {
    return this.#events;
  }

  /** Time of the last event so far. */
  get endTime(): number {
    return this.#endTime;
  }

  push(event: HistoryEvent): Step {
    this.#events += 1;
    this.#endTime = event.time;
    const invocation = this.#pair(event);
    this.contention.push(event, this.holds);
    const changes = this.holds.push(event, invocation);
    this.faults.push(event);
    this.takings.push(event, invocation, this.#ownHold(event, changes));
    const leaseOverlaps = this.leases.push(event, changes, this.holds);
    return { event, invocation, changes, leaseOverlaps };
  }

  /** The hold to which the invocation of a release or an extension refers. */
  #ownHold(event: HistoryEvent, changes: readonly HoldChange[]): Hold | undefined {
    if (event.type !== "invoke" || (event.f !== "release" && event.f !== "extend")) return undefined;
    const { owner } = event.value;
    return changes.find(({ hold }) => hold.owner === owner)?.hold ?? this.holds.find(event.key, owner, event.process);
  }

  #pair(event: HistoryEvent): Invocation | undefined {
    if (event.type === "invoke") {
      this.#open.set(event.process, event);
      return undefined;
    }
    if (event.type !== "ok" && event.type !== "fail" && event.type !== "info") return undefined;
    const invocation = this.#open.get(event.process);
    this.#open.delete(event.process);
    return invocation;
  }
}
