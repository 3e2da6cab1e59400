import { traitsOf } from "../../../faults/traits.ts";
import { disturbsUntilHealed, killsClients, movesClocks, type FaultTraits } from "../../core/fault-traits.ts";
import type { Hypothesis, PropertyVerdict, Violation } from "../../core/verdict.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { byElimination } from "../causes/by-elimination.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, unknown, VALID } from "../findings.ts";
import { NANOSECONDS_PER_MS, type FaultEvent } from "../../history/history.ts";
import type { HoldChange } from "../../history/holds.ts";
import { askedTtlMs, longestTtlMs } from "../../history/holds/lease.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { UNORDERED } from "../../history/unordered.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import {
  doubtAfter,
  endInWords,
  explainedFrom,
  hadNoMore,
  isRenewedLate,
  type WatchedKey,
  longestLeft,
  mayHaveRunOut,
  mayNotHaveFreed,
  mayShareVotes,
  type Refusal,
  type Seek,
  SLACK,
  type Suspicion,
  undecidedInWords,
  untouchedKey,
  whyFree,
  whyStuck,
} from "./stuck-lock.ts";
import { LaterPromises } from "./later-promises.ts";
import { SilentKeys } from "./silent-keys.ts";
import { GRANTABLE_TTL_MS } from "../liveness/grantable-ttl.ts";
import { LivenessRemarks } from "../liveness/liveness-remarks.ts";
import { clientInWords, faultInWords, holderOf, timeWords } from "../words.ts";
import { inFigures } from "../../core/words/in-figures.ts";

const FREE_BY_ITSELF = "a lock must become free by itself even if its holder dies";

/**
 * P7, deadlock freedom: after the last fault healed and the last holder gave up, a contender acquires within the
 * largest TTL, asked for or promised, plus slack. A contended refusal later than that, with nobody holding, is a
 * violation, as is an `observe` that reports the key without an expiry (`pttlMs` -1) or with a longer one than that TTL.
 *
 * Somebody may still have held for that long after one of these: a try of unknown outcome; a try that failed for
 * another reason than that somebody held (it may have taken the lock and found that too late); the end of a release or
 * an extension. While such a release or extension is under way, nothing is decided. In a history without recorded
 * faults, an acquire of unknown outcome may take effect at any time, once: it explains one refusal, and those within a
 * lease of it.
 *
 * A client that held the lock before the history began may have asked for any lease. Until a grant or an extension shows
 * otherwise, such a refusal is `unknown`, and a long expiry proves nothing.
 */
export const deadlockFreedom: CheckerFactory = {
  property: "deadlock-freedom",
  create: (evidence) => new DeadlockFreedom(evidence),
};

class DeadlockFreedom implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("deadlock-freedom");
  readonly #liveness: LivenessRemarks;
  readonly #promises = new LaterPromises();
  readonly #silent: SilentKeys;
  readonly #keys = new Map<string, WatchedKey>();
  /** Faults in force, by kind and targets. */
  readonly #inForce = new Set<string>();
  #calmSince = 0;
  #sought = false;
  /** The shortest TTL with which any client was granted a lock. */
  #shortestGrantedMs = Infinity;
  #acquiredSinceCalm = false;
  #soughtSinceCalm = false;
  /** Such a refusal of a key that is concluded. */
  #unexplained: Suspicion | undefined;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
    this.#liveness = new LivenessRemarks(evidence.header);
    this.#silent = new SilentKeys(evidence);
  }

  get remarks(): readonly string[] {
    return [...this.#findings.remarks, ...this.#liveness.all];
  }

  push({ event, invocation, changes }: HistoryStep): void {
    this.#liveness.push({ event, invocation });
    for (const change of changes) this.#follow(change, event.time);
    this.#hear(event, invocation);
    if (event.type === "fault") this.#disturb(event);
    else if (event.type === "ok" && event.f === "observe") this.#observe(event);
    else if (event.type !== "audit" && event.type !== "lost" && (event.f === "extend" || event.f === "release")) {
      if (event.type === "invoke" && event.f === "extend") this.#demand(event);
      this.#change(event.key, event);
    } else if (event.type !== "audit" && event.f === "acquire") {
      if (event.type === "invoke") this.#seek(event);
      else if (invocation?.f === "acquire") this.#answer(event, invocation);
    }
  }

  conclude(key: string): void {
    const state = this.#of(key);
    this.#unexplained ??= state.unexplained;
    this.#silent.conclude(key, state);
    this.#liveness.conclude(key);
    this.#keys.delete(key);
  }

  finish(): PropertyVerdict {
    this.#promises.settle(this.#findings);
    return this.#findings.verdict(this.#withoutViolation());
  }

  #withoutViolation(): PropertyVerdict {
    if (!this.#sought) return notApplicable("no client tried to acquire");
    if (this.#inForce.size > 0) return notApplicable("a fault was still in force at the end");
    const refusals = [this.#unexplained, ...[...this.#keys.values()].map((state) => state.unexplained)];
    const unexplained = refusals.find((each) => each !== undefined && !this.#promises.explain(explainedFrom(each)));
    if (unexplained !== undefined) return unknown(undecidedInWords(this.#evidence.header, unexplained));
    for (const [key, state] of this.#keys) this.#silent.conclude(key, state);
    const { reason } = this.#silent;
    if (this.#acquiredSinceCalm) return reason === undefined ? VALID : unknown(reason);
    if (!this.#soughtSinceCalm) return notApplicable("no client tried to acquire after the last fault");
    return notApplicable("no client acquired after the last fault, and none tried for long enough to prove a deadlock");
  }

  #of(key: string): WatchedKey {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh = untouchedKey();
    this.#keys.set(key, fresh);
    return fresh;
  }

  #demand(request: Extract<InvocationEvent, { f: "acquire" | "extend" }>): WatchedKey {
    const state = this.#of(request.key);
    state.maxAsked = Math.max(state.maxAsked, askedTtlMs(request) * NANOSECONDS_PER_MS);
    state.maxTtl = Math.max(state.maxTtl, longestTtlMs(request) * NANOSECONDS_PER_MS);
    return state;
  }

  #follow({ kind, hold }: HoldChange, time: number): void {
    const state = this.#of(hold.key);
    this.#silent.hear(hold.key, time);
    state.idleSince = time;
    const promised = hold.leaseEndAtMost - time;
    state.maxTtl = Math.max(state.maxTtl, promised);
    // Without the step of a coarse clock by which it is counted as longer.
    state.maxPromised = Math.max(state.maxPromised, Math.round(promised - hold.clockSlack / 2));
    state.lastHold = hold;
    if (kind !== "ended") {
      state.doubt = {};
      state.lateRenewal = undefined;
    }
    if (hold.end?.by === "kill") (state.deaths ??= new Map()).set(hold.end.index, "holder");
  }

  /** What an answer tells of the lock's leases, and whether it leaves open that the key has been stuck all the time. */
  #hear(event: HistoryStep["event"], invocation: HistoryStep["invocation"]): void {
    if (event.type === "ok" && (event.f === "acquire" || event.f === "extend") && invocation?.f === event.f)
      this.#promises.hear(invocation, event);
    if (event.type === "audit" || event.type === "fault" || !("key" in event) || event.key === undefined) return;
    const isRefused = event.type === "fail" && event.f === "acquire" && event.value?.reason === "contended";
    const state = this.#keys.get(event.key);
    if (state !== undefined && event.type === "renewed" && isRenewedLate(state, event)) state.lateRenewal = event;
    if (state !== undefined && !isRefused && !(event.type === "invoke" && event.f === "acquire"))
      state.streak = undefined;
  }

  #change(key: string, event: InvocationEvent | CompletionEvent): void {
    const { type, process, time } = event;
    const state = this.#of(key);
    if (type === "ok") this.#silent.hear(key, time);
    if (mayNotHaveFreed(event)) state.mayBeLeft = true;
    if (type === "invoke") state.changing.add(process);
    else if (state.changing.delete(process)) state.idleSince = time;
    state.doubt = doubtAfter(state, event);
  }

  /**
   * If a client dies during an operation, the operation is never answered. It may take effect, and then lasts for its TTL.
   */
  #bury({ index, time, value }: FaultEvent): void {
    const { holds } = this.#evidence;
    const died = (process: number): boolean =>
      (value.processes ?? []).some((dead) => holds.sameClient(process, dead) && !holds.lineage.livedOn(process, time));
    for (const state of this.#keys.values()) {
      for (const process of [...state.changing].filter(died)) {
        state.doubt = { ...state.doubt, release: "unknown" };
        state.changing.delete(process);
        state.idleSince = time;
        (state.deaths ??= new Map()).set(index, "holder");
      }
      for (const process of [...state.seeking.keys()].filter(died)) {
        state.seeking.delete(process);
        state.unknown += 1;
        state.idleSince = time;
        if (state.deaths?.has(index) !== true) (state.deaths ??= new Map()).set(index, "seeker");
        if (state.suspicion?.underWay.has(process) === true) state.suspicion = undefined;
      }
    }
  }

  #disturb(event: FaultEvent): void {
    const { outcome, phase } = event.value;
    if (outcome === "skipped") return;
    const traits = traitsOf(event.f);
    if (killsClients(traits) && phase === "start" && outcome === "installed") this.#bury(event);
    this.#calmSince = event.time;
    this.#silent.disturb(event.time);
    [this.#acquiredSinceCalm, this.#soughtSinceCalm] = [false, false];
    const fault = `${event.f} ${event.value.targets.join(" ")}`;
    if (event.value.phase === "heal") this.#inForce.delete(fault);
    else if (disturbsUntilHealed(traits)) this.#inForce.add(fault);
  }

  #seek(event: Seek): void {
    [this.#sought, this.#soughtSinceCalm] = [true, true];
    this.#demand(event).seeking.set(event.process, event);
  }

  #answer(event: Extract<CompletionEvent, { f: "acquire" }>, seek: Seek): void {
    const state = this.#of(event.key);
    state.seeking.delete(event.process);
    if (event.type === "ok") {
      this.#acquiredSinceCalm = true;
      this.#shortestGrantedMs = Math.min(this.#shortestGrantedMs, seek.value.ttlMs);
      state.unexplained = undefined;
      state.splitSince = undefined;
    }
    const contended = event.type === "fail" && event.value?.reason === "contended";
    this.#silent.answer(seek, event, state);
    const isCalm = this.#inForce.size === 0 && seek.time > this.#calmSince;
    if (event.type === "fail" && !contended && isCalm) this.#promises.hearOfFailure();
    // A request that was sent may still take effect for its TTL, as what a failed try has taken and not given back.
    if (event.type !== "ok" && !contended) state.idleSince = event.time;
    state.mayBeLeft ||= event.type !== "ok" && !contended;
    if (event.type === "info") {
      state.unknown += 1;
      // The recording has an outcome where only the clock leaves open when it came.
      if (event.value?.reason !== UNORDERED) state.doubt = { ...state.doubt, acquire: seek };
    }
    this.#resolve(state, event, contended);
    if (event.type !== "fail" || !contended) return;
    this.#suspect(state, event, seek);
    state.lastRefusal = event;
  }

  #suspect(state: WatchedKey, refusal: Refusal, seek: Seek): void {
    const { holds } = this.#evidence;
    const holders = holds.count(refusal.key) + (holds.lasting.mayBeEntered(refusal.key) ? 1 : 0);
    if (state.suspicion !== undefined || this.#inForce.size > 0 || holders > 0) return;
    if (seek.value.ttlMs < Math.min(this.#shortestGrantedMs, GRANTABLE_TTL_MS)) return;
    if (mayHaveRunOut(this.#evidence.header, seek, refusal.time)) return;
    const idleSince = Math.max(state.idleSince, this.#calmSince);
    // A single try saw the lock taken at some time after its invocation; a try that waited saw it taken until its wait
    // was over. What it did after that, such as freeing votes on servers that do not answer, may have taken much
    // longer.
    const seenTaken = Math.min(refusal.time, seek.time + (seek.value.waitMs ?? 0) * NANOSECONDS_PER_MS);
    if (seenTaken <= idleSince + longestLeft(this.#evidence.header, state) + SLACK) return;
    if (state.changing.size > 0) return;
    const mayBeSplit = mayShareVotes(this.#evidence.header, state, refusal, seek);
    if (mayBeSplit && this.#evidence.header["backend"] !== undefined) return;
    const underWay = new Set(state.seeking.keys());
    const { streak, lastHold, doubt, lateRenewal } = state;
    const stuckSince = streak?.until === idleSince && this.#calmSince < idleSince ? streak.since : idleSince;
    const isBesideAnother = [...state.seeking.values()].some(({ value }) => value.waitMs !== 0);
    const since = { idleSince, stuckSince, seenTaken };
    state.suspicion = { seek, refusal, ...since, lastHold, doubt, lateRenewal, underWay, isBesideAnother, mayBeSplit };
    if (underWay.size === 0) this.#confirm(state);
  }

  /** An acquire ended: if it held, or may have, the suspicion is dropped; once all were refused, it is proved. */
  #resolve(state: WatchedKey, event: Extract<CompletionEvent, { f: "acquire" }>, contended: boolean): void {
    const { suspicion } = state;
    if (suspicion === undefined || !suspicion.underWay.delete(event.process)) return;
    if (!contended) state.suspicion = undefined;
    else if (suspicion.underWay.size === 0) this.#confirm(state);
  }

  #confirm(state: WatchedKey): void {
    const { suspicion } = state;
    state.suspicion = undefined;
    if (suspicion === undefined) return;
    if (this.#evidence.heldBefore.mayLast(suspicion.refusal.key)) {
      state.unexplained = { ...suspicion, mayBeSplit: false };
      return;
    }
    // lockstorm records every fault, and without a fault nothing is under way for longer than the slack.
    if (this.#evidence.header["backend"] === undefined && state.unknown > 0) {
      state.unknown -= 1;
      state.idleSince = suspicion.refusal.time;
      return;
    }
    if (suspicion.mayBeSplit) {
      const { time } = suspicion.refusal;
      state.splitSince ??= time;
      // Two clients may always meet once.
      if (time - state.splitSince >= SLACK) state.unexplained = suspicion;
      return;
    }
    this.#promises.keep({
      explainedFrom: explainedFrom(suspicion),
      isBesideAnother: suspicion.isBesideAnother,
      describe: (ownLease) => this.#describe(suspicion, state, ownLease),
    });
    state.streak = { since: suspicion.stuckSince, until: suspicion.refusal.time };
    // The next one counts when it lasts as long again.
    state.idleSince = suspicion.refusal.time;
  }

  #describe(suspicion: Suspicion, state: WatchedKey, ownLease: number): Violation {
    const { header } = this.#evidence;
    const { seek, refusal, seenTaken, lastHold, doubt, lateRenewal } = suspicion;
    const isLongEnough = seenTaken - suspicion.idleSince - SLACK > ownLease;
    const idleSince = isLongEnough ? suspicion.idleSince : suspicion.stuckSince;
    const last =
      lastHold === undefined
        ? "no client is known to have held it before"
        : `the last known holder, ${holderOf(header, lastHold)}, ${endInWords(lastHold, doubt)}`;
    const account =
      `${clientInWords(header, seek.process)} was refused ${refusal.key} at ${timeWords(refusal.time)} as contended, ` +
      `but no client had held it for ${timeWords(refusal.time - idleSince)} (${last}). ${whyFree({ ...state, maxPromised: Math.max(state.maxPromised, ownLease) })}`;
    const ended = [lastHold?.grantedIndex, lastHold?.end?.index, lateRenewal?.index, doubt.acquire?.index];
    const events = [...ended, seek.index, refusal.index];
    const stuck = whyStuck(header, { seek, lastHold, doubt }, lateRenewal);
    return {
      ...explain(account, events, this.#hypotheses(refusal, stuck, state)),
      overlap: { from: idleSince, to: refusal.time },
    };
  }

  /** What may have left behind a lock that never ends, the most likely first. */
  #hypotheses(
    { time }: Pick<Refusal, "time">,
    { why, ...instead }: ReturnType<typeof whyStuck>,
    { deaths }: WatchedKey,
  ) {
    const accuse = (
      cause: Hypothesis["cause"],
      matches: (traits: FaultTraits) => boolean,
      how: (fault: string, index: number) => string,
    ): readonly Hypothesis[] =>
      this.#evidence.faults
        .during(matches, 0, time)
        .filter(({ f, index }) => !killsClients(traitsOf(f)) || deaths?.has(index) === true)
        .toReversed()
        .map((fault) => ({
          cause,
          fault: fault.index,
          accused: faultInWords(fault),
          events: [],
          why: how(faultInWords(fault), fault.index),
          ground: { on: "faults", faults: [fault.index] },
          remedies: [],
        }));
    return [
      ...accuse(
        "clock-jump",
        ({ clock }) => clock === "step",
        (fault) => `${fault} delayed the end of its lease`,
      ),
      ...accuse("never-freed", killsClients, (fault, index) => {
        const whom =
          deaths?.get(index) === "holder" ? "its holder" : "a client that had asked for it and may have got it";
        return `${fault} ended ${whom}, and ${FREE_BY_ITSELF}`;
      }),
      { ...byElimination("never-freed", why, this.#evidence, movesClocks), ...instead },
    ];
  }

  #observe(event: Extract<CompletionEvent, { f: "observe"; type: "ok" }>): void {
    const pttlMs = event.value?.pttlMs;
    if (pttlMs === undefined) return;
    this.#sought = true;
    const state = this.#of(event.key);
    const endless = pttlMs === -1;
    if (!endless && (pttlMs * NANOSECONDS_PER_MS <= state.maxTtl || this.#evidence.heldBefore.mayLast(event.key)))
      return;
    const account = (ownLease: number): string =>
      endless
        ? `At ${timeWords(event.time)} the lock ${event.key} existed without an expiry: if its holder dies now, no client can ever acquire it.`
        : `At ${timeWords(event.time)} the lock ${event.key} had ${inFigures(pttlMs)} ms left to live, but no client ${hadNoMore({ ...state, maxPromised: Math.max(state.maxPromised, ownLease) })}.`;
    const why = endless
      ? "the lock does not set the key and its TTL in one step"
      : "the lock granted a longer lease than the client asked for";
    this.#promises.keep({
      explainedFrom: endless ? Infinity : pttlMs * NANOSECONDS_PER_MS,
      isBesideAnother: false,
      describe: (ownLease) => explain(account(ownLease), [event.index], this.#hypotheses(event, { why }, state)),
    });
  }
}
