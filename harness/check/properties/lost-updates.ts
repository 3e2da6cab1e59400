import { inFigures } from "../../core/words/in-figures.ts";
import type { AuditEvent } from "../../history/history.ts";
import type { Hypothesis, PropertyVerdict, Violation } from "../../core/verdict.ts";
import { AuditedPositions } from "../evidence/audited-positions.ts";
import { hypothesesOf, promiseHypotheses } from "../causes/causes.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { firstLeaseOf, type Overlap } from "../evidence/overlaps.ts";
import { possibleShares } from "../evidence/possible-shares.ts";
import { Findings, notApplicable, unknown, VALID } from "../findings.ts";
import { heldAlone, type Hold } from "../../history/holds.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import { statedIn } from "../../history/unordered.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { Interference } from "../evidence/interferences.ts";
import { shortOwner } from "../../history/owner-value.ts";
import { lateWrite } from "../causes/late-writes.ts";
import { forgottenFences } from "../causes/forgotten-fences.ts";
import { clientInWords, timeWords } from "../words.ts";

type Write = Extract<InvocationEvent, { f: "write" }>;

/** What is known of a write, from its author, from the resource's audit, or from both. */
interface KnownWrite {
  invocation: Write | undefined;
  /** The hold under which it was invoked, if any. */
  hold: Hold | undefined;
  /**
   * How it ended for its author; undefined while it is open. `position`: where the resource says that it applied the
   * write.
   */
  end:
    | {
        readonly type: "ok" | "fail" | "info";
        readonly index: number;
        readonly time: number;
        readonly position?: number | undefined;
      }
    | undefined;
  audit: AuditEvent | undefined;
  /** Another write of the key has the same data: it is unknown which of them was applied. */
  ambiguous: boolean;
}

interface KeyWrites {
  /** Writes that author and audit do not agree upon yet, by their data. */
  readonly unsettled: Map<string, KnownWrite>;
  /** The accepted write at the largest position that the audit has listed. */
  last: { readonly position: number; readonly write: KnownWrite } | undefined;
  /** By position, updates that were overwritten and that the audit has not listed yet. */
  readonly awaited: Map<number, Overwritten>;
}

/** The update at the position just before a write that does not take account of it; undefined while it is not listed. */
interface Overwritten {
  write: KnownWrite | undefined;
}

/** How many violations at most wait for the update that was overwritten: no more are listed. */
const MOST_AWAITED = 100;

/**
 * P5, no lost update. For each guarded value: every acknowledged write was applied; every write that was applied was
 * acknowledged or had an indeterminate end; and no accepted write that says what it is based on has overwritten an
 * update that its author never saw (`basedOn` is the position just before its own). A write that says that it is based
 * on itself or on a later one contradicts the audit: then nothing is decided.
 *
 * An acknowledged write names its position. It is certainly lost if the resource applied another write there; if the
 * audit does not cover that position, nothing is decided.
 *
 * A write is identified by its data. For writes with the same data to the same key, only what they are based on is
 * judged.
 */
export const lostUpdates: CheckerFactory = {
  property: "lost-updates",
  create: (evidence) => new LostUpdates(evidence),
};

class LostUpdates implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("lost-updates");
  readonly #keys = new Map<string, KeyWrites>();
  readonly #audited = new AuditedPositions();
  #acknowledged = 0;
  #audits = 0;
  /** Why the history contradicts itself, if it does. */
  #contradiction: string | undefined;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push({ event, invocation }: HistoryStep): void {
    if (event.type === "audit") this.#audit(event);
    else if (event.type === "fault" || event.f !== "write") return;
    else if (event.type === "invoke") this.#invoke(event);
    else if (invocation?.f === "write") {
      const { position } = statedIn(event);
      if (position !== undefined) this.#acknowledged += 1;
      const write = this.#write(event.key, invocation.value.data);
      const { type, index, time } = event;
      write.end = { type, index, time, position };
      this.#settle(event.key, invocation.value.data, write);
    }
  }

  finish(): PropertyVerdict {
    if (this.#audits === 0) {
      return this.#acknowledged === 0
        ? notApplicable("no write reached the resource")
        : unknown("writes were acknowledged, but the history does not say which of them the resource applied");
    }
    let undecided = this.#contradiction;
    for (const [key, { unsettled }] of this.#keys) {
      for (const [data, { end, ambiguous, invocation }] of unsettled) {
        if (end?.position === undefined || ambiguous || invocation === undefined) continue;
        if (this.#audited.has(key, end.position)) this.#missing(key, invocation, end.index, end.position);
        else
          undecided ??= `write ${data} to the resource behind ${key} was acknowledged at position ${end.position}, and the audit does not cover that position`;
      }
    }
    return this.#findings.verdict(undecided === undefined ? VALID : unknown(undecided));
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
    const { data, accepted, position } = event.value;
    const write = this.#write(event.key, data);
    if (accepted) {
      this.#audited.add(event.key, position);
      write.audit = event;
      this.#compare(event, write);
    }
    this.#settle(event.key, data, write, !accepted);
  }

  /** Compares what an accepted write is based on with its position. */
  #compare(event: AuditEvent, write: KnownWrite): void {
    const { key } = event;
    const { data, basedOn, position } = event.value;
    const before = this.#before(key, position, write);
    if (basedOn === undefined || basedOn === position - 1) return;
    if (basedOn >= position) {
      this.#contradiction ??= `write ${data} to the resource behind ${key} says that it is based on position ${basedOn}, but was accepted at position ${position}`;
    } else if (this.#promisesUpdates(key, write, before.write)) {
      const interferences = this.#evidence.interferences.of(key);
      this.#findings.add(() => this.#overwritten(event, basedOn, before.write, write, interferences));
      this.#await(key, position - 1, before);
    }
  }

  /** The update at the position before this write, if the audit has listed it last of all, or else once it does. */
  #before(key: string, position: number, write: KnownWrite): Overwritten {
    const writes = this.#of(key);
    const { last, awaited } = writes;
    const waiting = awaited.get(position);
    if (waiting !== undefined) waiting.write = write;
    awaited.delete(position);
    if (last === undefined || position > last.position) writes.last = { position, write };
    return { write: last?.position === position - 1 ? last.write : undefined };
  }

  #await(key: string, position: number, overwritten: Overwritten): void {
    const { awaited } = this.#of(key);
    if (overwritten.write === undefined && awaited.size < MOST_AWAITED) awaited.set(position, overwritten);
  }

  /** Holders that the lock allows at the same time may overwrite each other: it promises nothing to them. */
  #promisesUpdates(key: string, ...writes: readonly (KnownWrite | undefined)[]): boolean {
    if (!this.#evidence.isShareable(key)) return true;
    return writes.every((write) => write?.hold !== undefined && heldAlone(write.hold));
  }

  #of(key: string): KeyWrites {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh: KeyWrites = { unsettled: new Map(), last: undefined, awaited: new Map() };
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

  /** Forgets a write on which author and resource agree; finds a write that was applied though it reported failure. */
  #settle(key: string, data: string, write: KnownWrite, refused = false): void {
    const { end, audit, invocation, ambiguous } = write;
    if (end === undefined || ambiguous) return;
    if (end.type === "fail" && audit !== undefined && invocation !== undefined) {
      this.#findings.add(() => this.#appliedAfterAll(key, invocation, end.index, audit));
    }
    if (audit !== undefined || (refused && end.type === "fail")) this.#of(key).unsettled.delete(data);
  }

  #missing(key: string, invocation: Write, index: number, position: number): void {
    this.#findings.add(() => {
      const account = `${clientInWords(this.#evidence.header, invocation.process)} wrote ${invocation.value.data} to the resource behind ${key} at ${timeWords(invocation.time)}, and the resource acknowledged it at position ${position}, but the resource applied another write there.`;
      return explain(
        account,
        [invocation.index, index],
        [shown("lost-write", "the resource lost a write that it had acknowledged")],
      );
    });
  }

  #appliedAfterAll(key: string, invocation: Write, index: number, audit: AuditEvent): Violation {
    const account = `The write ${invocation.value.data} of ${clientInWords(this.#evidence.header, invocation.process)} to the resource behind ${key} was reported as failed, but the resource applied it at position ${audit.value.position}.`;
    const why = "an unknown outcome must be reported as unknown, not as a failure";
    return explain(account, [invocation.index, index, audit.index], [shown("effect-after-failure", why)]);
  }

  #overwritten(
    event: AuditEvent,
    basedOn: number,
    last: KnownWrite | undefined,
    write: KnownWrite,
    interferences: readonly Interference[],
  ): Violation {
    const { position, data, owner = "unknown" } = event.value;
    const lastSeen = last?.audit?.value;
    const lost = position - 1 - basedOn;
    const which = lost === 1 ? "" : "the last of them ";
    const unseen =
      lastSeen === undefined ? "" : `, ${which}${lastSeen.data} of owner ${shortOwner(lastSeen.owner ?? "unknown")}`;
    const account =
      `Write ${data} (owner ${shortOwner(owner)}) to the resource behind ${event.key} was based on position ${basedOn} and was ` +
      `accepted at position ${position}: it overwrote ${inFigures(lost)} update${lost === 1 ? "" : "s"} that its author never saw${unseen}.`;
    const events = [write.invocation?.index, last?.audit?.index, event.index];
    return explain(account, events, this.#hypotheses(write, last, interferences));
  }

  #hypotheses(
    write: KnownWrite,
    last: KnownWrite | undefined,
    interferences: readonly Interference[],
  ): readonly Hypothesis[] {
    const { leases, header } = this.#evidence;
    const [fence, before] = [write.audit?.value.fence, last?.audit?.value.fence];
    if (fence !== undefined && before !== undefined && fence < before) {
      const why = `the resource accepted fencing token ${fence} after ${before}, which it must reject`;
      const stale: Hypothesis = { ...shown("stale-accepted", why), remedies: ["fencing-resource"] };
      return [...forgottenFences(last?.audit, write.audit, this.#evidence), stale];
    }
    const [mine, theirs] = [write.hold, last?.hold];
    const met = mine === undefined || theirs === undefined ? undefined : leases.between(mine, theirs);
    if (met !== undefined) return promiseHypotheses(met, this.#evidence, interferences);
    const kept = mine === undefined || theirs === undefined ? undefined : keptAfter(mine, theirs, interferences);
    if (kept !== undefined) {
      const why = `${clientInWords(header, kept.process)} was told that its lease was extended, although another client had held the lock in between (events ${kept.invokedIndex} and ${kept.completedIndex}): an extension must not recreate a lost lease`;
      return [{ ...shown("foreign-release", why), events: [kept.invokedIndex, kept.completedIndex] }];
    }
    const order =
      fence === undefined || before === undefined || fence === before
        ? ""
        : `. Their fencing tokens came in order (${before}, then ${fence}), so the resource could not tell: a new holder must first make a fenced write, and then read`;
    const late = lateWrite([last, write], order, this.#evidence);
    if (late !== undefined) return [late, ...this.#unlessLate(mine, theirs, interferences)];
    const isNamed = [last, write].every((one) => one?.invocation?.value.owner !== undefined);
    const why = isNamed
      ? "neither of the two was written after its lease: a holder must read after the grant, and base each write on its own last write"
      : "the history does not say of both writes under which owner value they were made: a client must hold the lock from its read to its write";
    return [shown("stale-read", why)];
  }

  /** What else may have led to it where it is not certain that a lease was over: whatever lets two clients hold the lock at once. */
  #unlessLate(
    mine: Hold | undefined,
    theirs: Hold | undefined,
    interferences: readonly Interference[],
  ): readonly Hypothesis[] {
    if (mine === undefined || theirs === undefined || this.#evidence.holds.sameClient(mine.process, theirs.process))
      return [];
    const others = hypothesesOf(overlapOf(mine, theirs), false, this.#evidence, interferences);
    return others.filter(({ cause }) => cause !== "overrun");
  }
}

/** Two holds that may have been in force at once, as an overlap that begins with the later one. */
function overlapOf(one: Hold, other: Hold): Overlap {
  const [first, second] = one.grantedIndex < other.grantedIndex ? [one, other] : [other, one];
  const { grantedTime: from, grantedIndex: index, leaseCut: secondLeaseCut } = second;
  return {
    first,
    second,
    from,
    index,
    shares: possibleShares([first, second]),
    ...firstLeaseOf(first),
    secondLeaseCut,
  };
}

/** The extension by which a hold continued after another client had held. */
function keptAfter(mine: Hold, theirs: Hold, interferences: readonly Interference[]): Interference | undefined {
  if (theirs.owner === mine.owner || !isGrantedLater(theirs, mine)) return undefined;
  return interferences.find(
    ({ f, certain, owner, completedIndex }) =>
      f === "extend" && certain && owner === mine.owner && completedIndex > theirs.grantedIndex,
  );
}

/** Of two acquires that ran at the same time, the one that was answered last may have been granted first: its fencing token shows it. */
function isGrantedLater(later: Hold, earlier: Hold): boolean {
  if (later.invokedIndex > earlier.grantedIndex) return true;
  if (later.fence === undefined || earlier.fence === undefined) return false;
  return later.grantedIndex > earlier.grantedIndex && later.fence > earlier.fence;
}

/** A hypothesis that the history shows by itself. */
function shown(cause: Hypothesis["cause"], why: string): Hypothesis {
  return { cause, events: [], why, ground: { on: "history" }, remedies: [] };
}
