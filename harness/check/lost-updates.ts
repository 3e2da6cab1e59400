import type { AuditEvent } from "../core/history.ts";
import type { Cause, PropertyVerdict, Violation } from "../core/verdict.ts";
import { diagnose } from "./causes.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { eventList, Findings, notApplicable, unknown, VALID } from "./findings.ts";
import type { Hold } from "./holds.ts";
import type { Invocation, Step } from "./step.ts";
import type { Taking } from "./takings.ts";
import { clientOf, ms, shortOwner } from "./words.ts";

type Write = Extract<Invocation, { f: "write" }>;

/** A write as far as it is known: from its author, from the resource's audit, or from both. */
interface KnownWrite {
  invocation: Write | undefined;
  /** The hold under which it was invoked, if any. */
  hold: Hold | undefined;
  /** How it ended for its author; undefined while it is open. */
  end: { readonly type: "ok" | "fail" | "info"; readonly index: number; readonly time: number } | undefined;
  audit: AuditEvent | undefined;
  /** Another write of the key has the same data: nobody can tell which of them was applied. */
  ambiguous: boolean;
}

interface KeyWrites {
  /** Writes that author and audit do not agree upon yet, by their data. */
  readonly unsettled: Map<string, KnownWrite>;
  /** The accepted write that the resource applied last. */
  last: KnownWrite | undefined;
}

/**
 * P5, no lost update. Of each guarded value: every acknowledged write was applied; every write that was applied was
 * acknowledged or had an indeterminate end; and no accepted write that says what it is based on has overwritten an
 * update it never saw (`basedOn` is the position just before its own).
 *
 * A write is known by its data. Of writes with the same data to the same key only what they are based on is judged.
 */
export const lostUpdates: CheckerFactory = {
  property: "lost-updates",
  create: (evidence) => new LostUpdates(evidence),
};

class LostUpdates implements Checker {
  readonly #evidence: Evidence;
  readonly #findings = new Findings("lost-updates");
  readonly #keys = new Map<string, KeyWrites>();
  #acknowledged = 0;
  #audits = 0;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push({ event, invocation }: Step): void {
    if (event.type === "audit") this.#audit(event);
    else if (event.type === "fault" || event.f !== "write") return;
    else if (event.type === "invoke") this.#invoke(event);
    else if (invocation?.f === "write") {
      if (event.type === "ok") this.#acknowledged += 1;
      const write = this.#write(event.key, invocation.value.data);
      write.end = { type: event.type, index: event.index, time: event.time };
      this.#settle(event.key, invocation.value.data, write);
    }
  }

  finish(): PropertyVerdict {
    if (this.#audits === 0) {
      return this.#acknowledged === 0
        ? notApplicable("no write reached the resource")
        : unknown("writes were acknowledged, but the history does not say which of them the resource applied");
    }
    for (const [key, { unsettled }] of this.#keys) {
      for (const write of unsettled.values()) if (write.end?.type === "ok") this.#missing(key, write);
    }
    return this.#findings.verdict(VALID);
  }

  #invoke(event: Write): void {
    const write = this.#write(event.key, event.value.data);
    write.ambiguous = write.invocation !== undefined;
    write.invocation = event;
    const { owner } = event.value;
    if (owner !== undefined) write.hold = this.#evidence.holds.find(event.key, owner, event.process);
  }

  #audit(event: AuditEvent): void {
    this.#audits += 1;
    const { data, accepted, basedOn, position } = event.value;
    const write = this.#write(event.key, data);
    if (accepted) {
      write.audit = event;
      const writes = this.#of(event.key);
      const { last } = writes;
      writes.last = write;
      if (basedOn !== undefined && basedOn !== position - 1) {
        const takings = this.#evidence.takings.of(event.key);
        this.#findings.add(() => this.#overwritten(event, basedOn, last, write, takings));
      }
    }
    this.#settle(event.key, data, write, !accepted);
  }

  #of(key: string): KeyWrites {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh: KeyWrites = { unsettled: new Map(), last: undefined };
    this.#keys.set(key, fresh);
    return fresh;
  }

  #write(key: string, data: string): KnownWrite {
    const { unsettled } = this.#of(key);
    const known = unsettled.get(data);
    if (known !== undefined) return known;
    const fresh = { invocation: undefined, hold: undefined, end: undefined, audit: undefined, ambiguous: false };
    unsettled.set(data, fresh);
    return fresh;
  }

  /** Forgets a write about which author and resource agree; finds one that was applied though it reported failure. */
  #settle(key: string, data: string, write: KnownWrite, refused = false): void {
    const { end, audit, invocation, ambiguous } = write;
    if (end === undefined || ambiguous) return;
    if (end.type === "fail" && audit !== undefined && invocation !== undefined) {
      this.#findings.add(() => this.#appliedAfterAll(key, invocation, end.index, audit));
    }
    if (audit !== undefined || (refused && end.type === "fail")) this.#of(key).unsettled.delete(data);
  }

  #missing(key: string, { invocation, end, ambiguous }: KnownWrite): void {
    if (invocation === undefined || end === undefined || ambiguous) return;
    this.#findings.add(() => ({
      events: eventList(invocation.index, end.index),
      cause: "unexplained",
      explanation: `${clientOf(this.#evidence.header, invocation.process)} wrote ${invocation.value.data} to the resource behind ${key} at ${ms(invocation.time)}, and the resource acknowledged it, but it is not among the writes that the resource applied.`,
    }));
  }

  #appliedAfterAll(key: string, invocation: Write, index: number, audit: AuditEvent): Violation {
    return {
      events: eventList(invocation.index, index, audit.index),
      cause: "unexplained",
      explanation: `The write ${invocation.value.data} of ${clientOf(this.#evidence.header, invocation.process)} to the resource behind ${key} was reported as having had no effect, but the resource applied it at position ${audit.value.position}.`,
    };
  }

  #overwritten(
    event: AuditEvent,
    basedOn: number,
    last: KnownWrite | undefined,
    write: KnownWrite,
    takings: readonly Taking[],
  ): Violation {
    const { position, data, owner = "unknown" } = event.value;
    const lastSeen = last?.audit?.value;
    const unseen =
      lastSeen === undefined
        ? ""
        : `, the last of them ${lastSeen.data} of owner ${shortOwner(lastSeen.owner ?? "unknown")}`;
    const { cause, why, fault, events = [] } = this.#cause(write, last, takings);
    const lost = position - 1 - basedOn;
    return {
      events: eventList(write.invocation?.index, last?.audit?.index, event.index, fault, ...events),
      cause,
      ...(fault === undefined ? {} : { fault }),
      explanation:
        `Write ${data} (owner ${shortOwner(owner)}) to the resource behind ${event.key} was based on position ${basedOn} and was ` +
        `accepted at position ${position}: it overwrote ${lost} update${lost === 1 ? "" : "s"} that its author never saw${unseen}. ${why}.`,
    };
  }

  #cause(write: KnownWrite, last: KnownWrite | undefined, takings: readonly Taking[]): Reason {
    const { leases } = this.#evidence;
    const [fence, before] = [write.audit?.value.fence, last?.audit?.value.fence];
    if (fence !== undefined && before !== undefined && fence < before) {
      return {
        cause: "stale-accepted",
        why: `The resource accepted fencing token ${fence} after ${before}, which it must refuse`,
      };
    }
    const [mine, theirs] = [write.hold, last?.hold];
    const met = mine === undefined || theirs === undefined ? undefined : leases.between(mine, theirs);
    if (met !== undefined) {
      const { cause, why, fault, events } = diagnose(met, true, this.#evidence, takings);
      return { cause, why, events, ...(fault === undefined ? {} : { fault: fault.index }) };
    }
    const kept = mine === undefined || theirs === undefined ? undefined : keptAfter(mine, theirs, takings);
    if (kept !== undefined) {
      return {
        cause: "foreign-release",
        events: [kept.invokedIndex, kept.completedIndex],
        why: `${clientOf(this.#evidence.header, kept.process)} was told that its lease was prolonged, although another had held in between (events ${kept.invokedIndex} and ${kept.completedIndex}): a lease that is lost must not be made again`,
      };
    }
    const late = [last, write].find((one) => one !== undefined && this.#wasLate(one));
    if (late === undefined) return { cause: "unexplained", why: "Neither of the two wrote beyond its lease" };
    const order =
      fence === undefined || before === undefined || fence === before
        ? ""
        : `. Their fencing tokens came in order (${before}, then ${fence}), so the resource could not know: a new holder's first act must be a fenced write, then the read`;
    return {
      cause: "overrun",
      why: `${late.invocation?.value.data} was written by a client whose lease was over${order}`,
    };
  }

  /** Whether a write reached the resource when its author's lease was over, as far as is known. */
  #wasLate({ invocation, hold, end }: KnownWrite): boolean {
    if (invocation === undefined) return false;
    return hold === undefined || (end?.time ?? this.#evidence.endTime) > hold.leaseEnd;
  }
}

/** The extension by which a hold went on after another client had held. */
function keptAfter(mine: Hold, theirs: Hold, takings: readonly Taking[]): Taking | undefined {
  if (theirs.owner === mine.owner || theirs.grantedIndex < mine.grantedIndex) return undefined;
  return takings.find(
    ({ f, certain, owner, completedIndex }) =>
      f === "extend" && certain && owner === mine.owner && completedIndex > theirs.grantedIndex,
  );
}

interface Reason {
  readonly cause: Cause;
  readonly why: string;
  readonly fault?: number;
  readonly events?: readonly number[];
}
