import { RECORDING_DELAY_NS } from "../../history/fault-timeline.ts";
import { mayLoseLocks } from "../../core/fault-traits.ts";
import type { AuditEvent } from "../../history/history.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Hold } from "../../history/holds.ts";
import { rivalsOf } from "../evidence/overlaps.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { twoMasters } from "../causes/two-masters.ts";

type Write = Extract<InvocationEvent, { f: "write" }>;
type Refusal = Extract<CompletionEvent, { f: "write"; type: "fail" }>;

/** The most refusals that wait for their other half, and the most that wait to be judged. */
const MOST_WAITING = 1024;

/** How many ends of holds are remembered for each key: a write of a hold during which more ended is not judged. */
const REMEMBERED_ENDS = 8;

/**
 * How many owner values are remembered for each key. A write is not judged if as many others were granted it beside or after its own hold:
 * they hold too, or as many holds have ended.
 */
const REMEMBERED_OWNERS = 8;

/** A write that the resource refused because of a larger fencing token, or an equal one of another owner. */
export interface RefusedWrite {
  readonly hold: Hold;
  readonly write: Write;
  readonly refusal: Refusal;
  /** The resource's own record of the refusal. */
  readonly audit: AuditEvent;
  /** The accepted write with that fencing token. */
  readonly accepted: AuditEvent;
  /** The earliest time at which the lock may have issued that token, or a larger one, in nanoseconds. */
  readonly issuedFrom: number;
}

/** A grant of a key, with what it shows of the tokens that the lock has issued. */
interface KeyGrants {
  /** The grant that was asked for last. */
  readonly last: { readonly owner: string; readonly invokedIndex: number };
  /** The grant with the largest fencing token, and when it was asked for. */
  readonly largest: { readonly fence: number; readonly invokedTime: number } | undefined;
  /** By owner value, the largest fencing token that it was granted; the one that was granted first comes first. */
  readonly ofOwners: Map<string, { readonly fence: number; readonly index: number }>;
}

/** What is known of a refused write from its author or from the resource. */
interface Half {
  author?: Pick<RefusedWrite, "hold" | "write" | "refusal"> & Pick<KeyGrants, "largest">;
  resource?: Pick<RefusedWrite, "audit" | "accepted">;
}

/**
 * Collects the refused writes of the only rightful holder. Its hold is definite and within its lease from the
 * invocation of the write to its answer, no other lease was in force since its grant, nobody asked for the lock later and was granted
 * it, and no fault that takes locks away happened since it asked. So the fencing token because of which the resource
 * refused it belongs to an earlier grant, or to no rightful one.
 */
export class RefusedWrites {
  readonly #evidence: SharedEvidence;
  readonly #halves = new Map<string, Half>();
  readonly #candidates: RefusedWrite[] = [];
  readonly #grants = new Map<string, KeyGrants>();
  /** By key, the holds that ended last. */
  readonly #ended = new Map<string, readonly Hold[]>();

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  push({ event, invocation, changes }: HistoryStep): void {
    for (const { kind, hold } of changes) if (kind === "ended") this.#end(hold);
    if (event.type === "ok" && event.f === "acquire" && invocation !== undefined) this.#grant(event, invocation);
    if (event.type === "invoke" || event.type === "fault" || event.type === "audit" || invocation?.f !== "write")
      return;
    if (event.f !== "write") return;
    const name = nameOf(event.key, invocation.value.data);
    const refused = event.type === "fail" && event.value?.reason === "refused";
    const hold = refused ? this.#rightful(invocation, event) : undefined;
    if (hold === undefined) this.#halves.delete(name);
    else if (refused)
      this.#join(name, {
        author: { hold, write: invocation, refusal: event, largest: this.#grants.get(event.key)?.largest },
      });
  }

  /** It is remembered as long as there is a hold that may have begun before: there may be thousands of keys. */
  #end(hold: Hold): void {
    const { key } = hold;
    const { holds } = this.#evidence;
    const [forgotten] = holds.latestForgotten(key);
    if (holds.count(key) > 0 || forgotten !== undefined)
      this.#ended.set(key, [...(this.#ended.get(key) ?? []), hold].slice(-REMEMBERED_ENDS));
    else this.#ended.delete(key);
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    this.#grants.delete(key);
    this.#ended.delete(key);
  }

  /** The resource refused a write because of the fencing token of `accepted`. */
  refuse(audit: AuditEvent, accepted: AuditEvent): void {
    this.#join(nameOf(audit.key, audit.value.data), { resource: { audit, accepted } });
  }

  /** To be called after the last event, when all faults are known. */
  finish(): readonly RefusedWrite[] {
    const { faults } = this.#evidence;
    return this.#candidates.filter(({ hold, refusal }) => {
      const until = refusal.time + RECORDING_DELAY_NS;
      if (twoMasters(hold.invokedTime, refusal.time, this.#evidence) !== undefined) return false;
      return !faults.anyDuring(mayLoseLocks, hold.invokedTime, until);
    });
  }

  #grant(
    { key, value, index: grantedIndex }: Extract<CompletionEvent, { f: "acquire"; type: "ok" }>,
    { index, time }: InvocationEvent,
  ): void {
    const { owner, fence } = value;
    const known = this.#grants.get(key);
    const ofOwners = known?.ofOwners ?? new Map<string, { readonly fence: number; readonly index: number }>();
    if (fence !== undefined && fence > (ofOwners.get(owner)?.fence ?? -Infinity)) {
      ofOwners.delete(owner);
      ofOwners.set(owner, { fence, index: grantedIndex });
      const [oldest] = ofOwners.keys();
      if (ofOwners.size > REMEMBERED_OWNERS && oldest !== undefined) ofOwners.delete(oldest);
    }
    const isLast = known === undefined || known.last.invokedIndex < index;
    const isLargest = fence !== undefined && (known?.largest === undefined || known.largest.fence < fence);
    this.#grants.set(key, {
      last: isLast ? { owner, invokedIndex: index } : known.last,
      largest: isLargest ? { fence, invokedTime: time } : known?.largest,
      ofOwners,
    });
  }

  #rightful(write: Write, refusal: Refusal): Hold | undefined {
    const { holds, interferences } = this.#evidence;
    const { key } = write;
    const { owner, fence } = write.value;
    if (owner === undefined || fence === undefined) return undefined;
    const hold = holds.find(key, owner, write.process);
    if (hold === undefined || hold.forgotten || hold.fence !== fence) return undefined;
    // An extension that came when the lease may have been over may be of a later hold of the same owner value, of which its client
    // was not told, and which has another fencing token.
    if (hold.resumedIndex >= 0) return undefined;
    // Its owner may have a later hold by now: it does several things at a time.
    const own = this.#grants.get(key)?.ofOwners.get(owner);
    if (own !== undefined && own.fence > fence && own.index > hold.invokedIndex) return undefined;
    if (hold.grantedIndex > write.index || hold.leaseEnd < refusal.time) return undefined;
    // This does not judge a lock with more open holds than these.
    const [open, forgotten] = [rivalsOf(hold, holds.latest(key)), rivalsOf(hold, holds.latestForgotten(key))];
    if (holds.count(key) - 1 > open.length) return undefined;
    if ([...open, ...forgotten].some((other) => mayBeInForce(other, hold.grantedTime))) return undefined;
    if (this.#mayHaveEndedSince(hold)) return undefined;
    const last = this.#grants.get(key)?.last;
    if (last !== undefined && last.owner !== owner && last.invokedIndex > hold.grantedIndex) return undefined;
    const taken = interferences
      .of(key)
      .some((interference) => interference.owner !== owner && interference.completedIndex > hold.invokedIndex);
    return taken ? undefined : hold;
  }

  /** Whether another hold whose lease was in force at this grant may have ended since. */
  #mayHaveEndedSince({ key, owner, grantedIndex, grantedTime }: Hold): boolean {
    const since = (this.#ended.get(key) ?? []).filter(({ end }) => end !== undefined && end.index > grantedIndex);
    if (since.length === REMEMBERED_ENDS) return true;
    return since.some((other) => other.owner !== owner && mayBeInForce(other, grantedTime));
  }

  #join(name: string, half: Half): void {
    const { author, resource } = { ...this.#halves.get(name), ...half };
    if (author === undefined || resource === undefined) {
      this.#halves.set(name, { ...this.#halves.get(name), ...half });
      const [oldest] = this.#halves.keys();
      if (this.#halves.size > MOST_WAITING && oldest !== undefined) this.#halves.delete(oldest);
      return;
    }
    this.#halves.delete(name);
    if (this.#candidates.length >= MOST_WAITING) return;
    const { largest, ...refused } = author;
    const isIssued = largest !== undefined && largest.fence >= (resource.accepted.value.fence ?? Infinity);
    this.#candidates.push({ ...refused, ...resource, issuedFrom: isIssued ? largest.invokedTime : 0 });
  }
}

/** Whether the lease of this hold may be in force at this time: also one that a request of unknown outcome may have cut. */
function mayBeInForce({ leaseCut, leaseEnd }: Hold, time: number): boolean {
  return (leaseCut?.toldEnd ?? leaseEnd) >= time;
}

function nameOf(key: string, data: string): string {
  return JSON.stringify([key, data]);
}
