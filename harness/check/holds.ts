import type { HistoryEvent } from "../core/history.ts";
import { ProcessLineage } from "./process-lineage.ts";
import { grantOf, type GrantEvents, type Invocation } from "./step.ts";

export const NANOSECONDS_PER_MS = 1e6;

/**
 * A definite hold: from the completion of the acquire as long as its client, for certain, meant to hold. Because it
 * begins with a completion and ends with an invocation it is an inner bound: whatever overlaps it truly overlapped.
 * Times are nanoseconds since the start of the run, positions are event indices.
 */
export interface Hold {
  readonly key: string;
  readonly owner: string;
  /** The process that was granted it. Its client may act under a later number, `currentProcess`. */
  readonly process: number;
  currentProcess: number;
  readonly fence: number | undefined;
  /** The server that has it, where the grant says so. */
  readonly place: string | undefined;
  readonly invokedIndex: number;
  readonly invokedTime: number;
  readonly grantedIndex: number;
  readonly grantedTime: number;
  /** Whether the lock said for how long the grant was valid. */
  readonly validityReported: boolean;
  /** Whether the lock had no chance to say when its lease began: it may have waited, and reports no validity. */
  readonly vague: boolean;
  /** When the lease ended that the grant itself brought. */
  readonly grantedLeaseEnd: number;
  /** When the present lease ends on the true clock, at least. The lock promised nothing beyond. */
  leaseEnd: number;
  /** When the present lease ends at most, if nothing but recorded operations prolonged it. */
  leaseEndAtMost: number;
  /**
   * The last event that shows that its client meant to hold: its grant, an operation on the key, or the hold's end by
   * release, lost notice or crash. A client that never releases may have forgotten the lock since.
   */
  lastSignIndex: number;
  lastSignTime: number;
  /** How often its owner entered and did not release. */
  depth: number;
  end: HoldEnd | undefined;
}

export interface HoldEnd {
  readonly by: "release" | "lost" | "kill" | "abandoned";
  readonly index: number;
  readonly time: number;
}

export type HoldChange =
  | { readonly kind: "granted" | "extended"; readonly hold: Hold }
  /** The owner entered again. `fence` is what this grant reported. */
  | { readonly kind: "reentered"; readonly hold: Hold; readonly fence: number | undefined }
  | { readonly kind: "ended"; readonly hold: Hold };

/** The leases of a hold, present and outer, as they were before something that may not take effect. */
interface Former {
  readonly end: number;
  readonly outer: readonly Lease[];
}

interface Lease {
  readonly end: number;
  readonly endAtMost: number;
}

/**
 * Extracts the definite holds of a history as it goes by. It keeps the open holds only.
 *
 * A hold ends at the invocation of its release (whatever becomes of that release), at a `lost` notice, at an installed
 * `kill-client` that names its process, or, for a client that never released, when the same process is granted the same
 * key under another owner value. An indeterminate acquire is no hold. An owner that acquires again while it holds
 * re-enters: the hold goes on until it was released as often as it was entered.
 */
export class HoldTracker {
  readonly #open = new Map<string, Hold[]>();
  readonly #outerLeases = new WeakMap<Hold, Lease[]>();
  /** Of holds that may have been cut short. */
  readonly #cutShort = new WeakMap<Hold, Former>();
  readonly #lineage: ProcessLineage;
  readonly #clients: number | undefined;

  /** @param clients how many clients ran, where the history says so */
  constructor(clients: number | undefined) {
    this.#clients = clients;
    this.#lineage = new ProcessLineage(clients);
  }

  /** True unless the two processes belong to two clients for certain. */
  sameClient(earlier: number, later: number): boolean {
    return this.#lineage.mayContinue(earlier, later);
  }

  /** The open holds of a key, in the order in which they were granted. */
  open(key: string): readonly Hold[] {
    return this.#open.get(key) ?? [];
  }

  /** All open holds. */
  *all(): Iterable<Hold> {
    for (const holds of this.#open.values()) yield* holds;
  }

  /** The open hold that an operation of `process` with this owner value refers to. */
  find(key: string, owner: string, process: number): Hold | undefined {
    const sameOwner = this.open(key).filter((hold) => hold.owner === owner);
    return sameOwner.find((hold) => this.#lineage.mayContinue(hold.currentProcess, process)) ?? sameOwner[0];
  }

  push(event: HistoryEvent, invocation: Invocation | undefined): readonly HoldChange[] {
    if (typeof event.process === "number") {
      this.#lineage.push(event.process, event.index, event.type === "info");
    }
    this.#sign(event, invocation);
    const grant = grantOf(event, invocation);
    if (grant !== undefined) return this.#grant(grant);
    if (event.type === "ok" && event.f === "extend") return this.#extend(event, invocation);
    if (event.type === "invoke" && event.f === "extend") this.#cutLease(event);
    if (event.type === "fail" && invocation?.f === "extend") this.#restoreLease(invocation);
    if (event.type === "invoke" && event.f === "release") return this.#release(event);
    if (event.type === "lost") return this.#end(this.find(event.key, event.value.owner, event.process), "lost", event);
    if (event.type === "fault") return this.#kill(event);
    return [];
  }

  /** An operation on the key shows that its client means to hold still. */
  #sign(event: HistoryEvent, invocation: Invocation | undefined): void {
    if (typeof event.process !== "number" || event.type === "lost") return;
    // One may look at a lock, or try for it, after one forgot that one has it.
    if (event.f === "acquire" || event.f === "observe") return;
    const operation = event.type === "invoke" ? event : invocation;
    const owner = operation !== undefined && "owner" in (operation.value ?? {}) ? operation.value : undefined;
    for (const hold of this.open(event.key)) {
      if (!this.sameClient(hold.currentProcess, event.process)) continue;
      if (owner === undefined || ("owner" in owner && owner.owner === hold.owner)) sign(hold, event);
    }
  }

  #grant(grant: GrantEvents): readonly HoldChange[] {
    const { key, process, value } = grant.completion;
    const holds = this.open(key);
    const own = holds.find(
      (hold) => hold.owner === value.owner && this.#lineage.mayContinue(hold.currentProcess, process),
    );
    if (own !== undefined) return this.#reenter(own, grant);
    const abandoned = holds
      .filter((hold) => hold.owner !== value.owner && this.#isSurely(hold, process))
      .flatMap((hold) => this.#end(hold, "abandoned", grant.completion));
    const hold = newHold(grant);
    const remaining = this.#open.get(key);
    if (remaining === undefined) this.#open.set(key, [hold]);
    else remaining.push(hold);
    return [...abandoned, { kind: "granted", hold }];
  }

  #reenter(hold: Hold, grant: GrantEvents): readonly HoldChange[] {
    const outer = this.#outerLeases.get(hold) ?? [];
    outer.push({ end: hold.leaseEnd, endAtMost: hold.leaseEndAtMost });
    this.#outerLeases.set(hold, outer);
    setLease(hold, leaseOf(grant), grant.completion);
    sign(hold, grant.completion);
    hold.depth += 1;
    return [{ kind: "reentered", hold, fence: grant.completion.value.fence }];
  }

  #extend(
    event: Extract<HistoryEvent, { f: "extend"; type: "ok" }>,
    invocation: Invocation | undefined,
  ): readonly HoldChange[] {
    if (invocation?.f !== "extend") return [];
    const hold = this.find(event.key, event.value.owner, event.process);
    if (hold === undefined) return [];
    const lease = leaseOf({ invocation, completion: event });
    this.#cutShort.delete(hold);
    setLease(hold, lease, event);
    // The lock renews one lease, whatever the depth: the outer levels live as long.
    this.#outerLeases.get(hold)?.fill(lease);
    return [{ kind: "extended", hold }];
  }

  /**
   * An extension to a shorter lease may take effect long before its client hears of it, or without its ever hearing: from
   * its invocation on the lock promises no more than it asks for, unless it certainly failed.
   */
  #cutLease({ key, process, time, value }: Extract<HistoryEvent, { f: "extend"; type: "invoke" }>): void {
    const hold = this.find(key, value.owner, process);
    const end = time + value.ttlMs * NANOSECONDS_PER_MS;
    if (hold === undefined || end >= hold.leaseEnd) return;
    const outer = this.#outerLeases.get(hold) ?? [];
    this.#cutShort.set(hold, { end: hold.leaseEnd, outer: [...outer] });
    hold.leaseEnd = end;
    outer.forEach((lease, level) => (outer[level] = { ...lease, end: Math.min(lease.end, end) }));
  }

  #restoreLease({ key, process, value }: Extract<Invocation, { f: "extend" }>): void {
    const hold = this.find(key, value.owner, process);
    const former = hold === undefined ? undefined : this.#cutShort.get(hold);
    if (hold === undefined || former === undefined) return;
    this.#cutShort.delete(hold);
    hold.leaseEnd = former.end;
    this.#outerLeases.get(hold)?.splice(0, Infinity, ...former.outer);
  }

  /** Whether a hold is this process's own: under the same number, or under one the client is known to have had. */
  #isSurely(hold: Hold, process: number): boolean {
    return (
      hold.currentProcess === process || (this.#clients !== undefined && this.sameClient(hold.currentProcess, process))
    );
  }

  #release(event: Extract<HistoryEvent, { f: "release"; type: "invoke" }>): readonly HoldChange[] {
    const hold = this.find(event.key, event.value.owner, event.process);
    if (hold === undefined) return [];
    const outer = this.#outerLeases.get(hold)?.pop();
    if (outer === undefined) return this.#end(hold, "release", event);
    hold.currentProcess = event.process;
    hold.leaseEnd = outer.end;
    hold.leaseEndAtMost = outer.endAtMost;
    hold.depth -= 1;
    return [];
  }

  #kill(event: Extract<HistoryEvent, { type: "fault" }>): readonly HoldChange[] {
    const { phase, outcome, processes } = event.value;
    if (event.f !== "kill-client" || phase !== "start" || outcome !== "installed" || processes === undefined) return [];
    const hit = [...this.all()].filter((hold) =>
      processes.some((process) => this.#lineage.mayContinue(hold.currentProcess, process)),
    );
    return hit.flatMap((hold) => this.#end(hold, "kill", event));
  }

  #end(hold: Hold | undefined, by: HoldEnd["by"], event: HistoryEvent): readonly HoldChange[] {
    if (hold === undefined) return [];
    hold.end = { by, index: event.index, time: event.time };
    if (by !== "abandoned") sign(hold, event);
    const remaining = this.open(hold.key).filter((other) => other !== hold);
    if (remaining.length === 0) this.#open.delete(hold.key);
    else this.#open.set(hold.key, remaining);
    return [{ kind: "ended", hold }];
  }
}

function sign(hold: Hold, event: HistoryEvent): void {
  hold.lastSignIndex = event.index;
  hold.lastSignTime = event.time;
}

function newHold({ invocation, completion }: GrantEvents): Hold {
  const { owner, fence, place, validForMs } = completion.value;
  const lease = leaseOf({ invocation, completion });
  return {
    key: completion.key,
    owner,
    process: completion.process,
    currentProcess: completion.process,
    fence,
    place,
    invokedIndex: invocation.index,
    invokedTime: invocation.time,
    grantedIndex: completion.index,
    grantedTime: completion.time,
    validityReported: validForMs !== undefined,
    vague: validForMs === undefined && (invocation.value.waitMs ?? 0) > 0,
    grantedLeaseEnd: lease.end,
    leaseEnd: lease.end,
    leaseEndAtMost: lease.endAtMost,
    lastSignIndex: completion.index,
    lastSignTime: completion.time,
    depth: 1,
    end: undefined,
  };
}

function setLease(hold: Hold, lease: Lease, event: { readonly process: number }): void {
  hold.leaseEnd = lease.end;
  hold.leaseEndAtMost = lease.endAtMost;
  hold.currentProcess = event.process;
}

/**
 * The lease that a grant or an extension brought. It runs from the instant at which the lock answered (`grantedAt`, else
 * the completion) for the validity it reported; where it reports none, from the invocation for the TTL.
 */
function leaseOf(grant: {
  readonly invocation: { readonly time: number; readonly value: { readonly ttlMs: number } };
  readonly completion: {
    readonly time: number;
    readonly value: { readonly validForMs?: number | undefined; readonly grantedAt?: number | undefined };
  };
}): Lease {
  const { invocation, completion } = grant;
  const { validForMs, grantedAt } = completion.value;
  const ttl = invocation.value.ttlMs * NANOSECONDS_PER_MS;
  if (validForMs === undefined) return { end: invocation.time + ttl, endAtMost: completion.time + ttl };
  const answered = Math.min(grantedAt ?? completion.time, completion.time);
  const end = answered + validForMs * NANOSECONDS_PER_MS;
  return { end, endAtMost: Math.max(end, completion.time + ttl) };
}
