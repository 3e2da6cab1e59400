import type { FaultEvent } from "../core/history.ts";
import type { PropertyVerdict, Violation } from "../core/verdict.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { isInstant } from "./fault-log.ts";
import { eventList, Findings, notApplicable, VALID } from "./findings.ts";
import { NANOSECONDS_PER_MS, type Hold, type HoldChange } from "./holds.ts";
import type { Completion, Invocation, Step } from "./step.ts";
import { clientOf, faultInWords, holderOf, ms } from "./words.ts";

/** What a lock may take beyond the TTL: its retry interval, and the time for everything to settle. */
const DEADLOCK_SLACK_MS = 2000;

type Seek = Extract<Invocation, { f: "acquire" }>;
type Refusal = Extract<Completion, { f: "acquire"; type: "fail" }>;

interface KeyState {
  /** The largest TTL anybody asked for. */
  maxTtl: number;
  /** Since when, for certain, no client has meant to hold. */
  idleSince: number;
  lastHold: Hold | undefined;
  /** Acquires that are under way, by process. */
  readonly seeking: Map<number, Seek>;
  suspicion: Suspicion | undefined;
}

/** A refusal that nobody's hold explains, unless one of those under way at the time was granted the lock. */
interface Suspicion {
  readonly seek: Seek;
  readonly refusal: Refusal;
  readonly idleSince: number;
  readonly lastHold: Hold | undefined;
  readonly underWay: Set<number>;
}

/**
 * P7, deadlock freedom: after the last fault healed and the last holder gave up, a contender acquires within the largest
 * TTL plus slack. A contended refusal later than that, with nobody holding, is a violation, as is an `observe` that
 * reports the key without an expiry (`pttlMs` -1) or with a longer one than anybody asked for.
 */
export const deadlockFreedom: CheckerFactory = {
  property: "deadlock-freedom",
  create: (evidence) => new DeadlockFreedom(evidence),
};

class DeadlockFreedom implements Checker {
  readonly #evidence: Evidence;
  readonly #findings = new Findings("deadlock-freedom");
  readonly #keys = new Map<string, KeyState>();
  /** Faults in force, by kind and targets. */
  readonly #inForce = new Set<string>();
  #calmSince = 0;
  #sought = false;
  #acquiredSinceCalm = false;
  #soughtSinceCalm = false;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push({ event, invocation, changes }: Step): void {
    for (const change of changes) this.#follow(change, event.time);
    if (event.type === "fault") this.#disturb(event);
    else if (event.type === "ok" && event.f === "observe") this.#observe(event);
    else if (event.type === "invoke" && event.f === "extend") this.#demand(event.key, event.value.ttlMs);
    else if (event.type !== "audit" && event.f === "acquire") {
      if (event.type === "invoke") this.#seek(event);
      else if (invocation?.f === "acquire") this.#answer(event, invocation);
    }
  }

  finish(): PropertyVerdict {
    return this.#findings.verdict(this.#withoutViolation());
  }

  #withoutViolation(): PropertyVerdict {
    if (!this.#sought) return notApplicable("nobody tried to acquire");
    if (this.#inForce.size > 0) return notApplicable("a fault was still in force at the end");
    if (this.#acquiredSinceCalm) return VALID;
    if (!this.#soughtSinceCalm) return notApplicable("nobody tried to acquire after the last fault");
    return notApplicable("nobody acquired after the last fault, but nobody tried for long enough either");
  }

  #of(key: string): KeyState {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh = {
      maxTtl: 0,
      idleSince: 0,
      lastHold: undefined,
      seeking: new Map<number, Seek>(),
      suspicion: undefined,
    };
    this.#keys.set(key, fresh);
    return fresh;
  }

  #demand(key: string, ttlMs: number): KeyState {
    const state = this.#of(key);
    state.maxTtl = Math.max(state.maxTtl, ttlMs * NANOSECONDS_PER_MS);
    return state;
  }

  #follow({ hold }: HoldChange, time: number): void {
    const state = this.#of(hold.key);
    state.idleSince = time;
    state.lastHold = hold;
  }

  #disturb(event: FaultEvent): void {
    if (event.value.outcome === "skipped") return;
    this.#calmSince = event.time;
    this.#acquiredSinceCalm = false;
    this.#soughtSinceCalm = false;
    const fault = `${event.f} ${event.value.targets.join(" ")}`;
    if (event.value.phase === "heal") this.#inForce.delete(fault);
    // A node that was killed is down until it is started again.
    else if (!isInstant(event.f) || event.f === "kill-node") this.#inForce.add(fault);
  }

  #seek(event: Seek): void {
    this.#sought = true;
    this.#soughtSinceCalm = true;
    this.#demand(event.key, event.value.ttlMs).seeking.set(event.process, event);
  }

  #answer(event: Extract<Completion, { f: "acquire" }>, seek: Seek): void {
    const state = this.#of(event.key);
    state.seeking.delete(event.process);
    if (event.type === "ok") this.#acquiredSinceCalm = true;
    // What was sent may still take effect, and then lasts for its TTL.
    if (event.type === "info") state.idleSince = event.time;
    this.#resolve(state, event);
    if (event.type === "fail" && event.value?.reason === "contended") this.#suspect(state, event, seek);
  }

  #suspect(state: KeyState, refusal: Refusal, seek: Seek): void {
    const holders = this.#evidence.holds.open(refusal.key);
    if (state.suspicion !== undefined || this.#inForce.size > 0 || holders.length > 0) return;
    const idleSince = Math.max(state.idleSince, this.#calmSince);
    // One try saw the lock taken at some time after its invocation; one that waited, until the end of its wait.
    const seenTaken = (seek.value.waitMs ?? 0) > 0 ? refusal.time : seek.time;
    if (seenTaken <= idleSince + state.maxTtl + DEADLOCK_SLACK_MS * NANOSECONDS_PER_MS) return;
    const underWay = new Set(state.seeking.keys());
    state.suspicion = { seek, refusal, idleSince, lastHold: state.lastHold, underWay };
    if (underWay.size === 0) this.#confirm(state);
  }

  /** An acquire ended: if it succeeded, or may have, the suspicion falls; when all have failed, it is proved. */
  #resolve(state: KeyState, event: Extract<Completion, { f: "acquire" }>): void {
    const { suspicion } = state;
    if (suspicion === undefined || !suspicion.underWay.delete(event.process)) return;
    if (event.type !== "fail") state.suspicion = undefined;
    else if (suspicion.underWay.size === 0) this.#confirm(state);
  }

  #confirm(state: KeyState): void {
    const { suspicion, maxTtl } = state;
    state.suspicion = undefined;
    if (suspicion === undefined) return;
    this.#findings.add(() => this.#describe(suspicion, maxTtl));
    // The next one counts when it lasts as long again.
    state.idleSince = suspicion.refusal.time;
  }

  #describe({ seek, refusal, idleSince, lastHold }: Suspicion, maxTtl: number): Violation {
    const { header } = this.#evidence;
    const { cause, fault } = this.#cause(refusal.time);
    const last =
      lastHold === undefined
        ? "nobody was ever known to hold it"
        : `the last known holder, ${holderOf(header, lastHold)}, ${endInWords(lastHold)}`;
    const seen = fault === undefined ? "" : ` Before that the system saw ${faultInWords(fault)}.`;
    return {
      events: eventList(lastHold?.grantedIndex, lastHold?.end?.index, fault?.index, seek.index, refusal.index),
      cause,
      overlap: { from: idleSince, to: refusal.time },
      ...(fault === undefined ? {} : { fault: fault.index }),
      explanation:
        `${refusal.key} is stuck: ${clientOf(header, seek.process)} was refused at ${ms(refusal.time)} because somebody held, ` +
        `but for ${ms(refusal.time - idleSince)} nobody had (${last}), and the longest TTL anybody asked for is ${ms(maxTtl)}.${seen} ` +
        `A lock must come free by itself, whatever became of its holder.`,
    };
  }

  #cause(time: number): { readonly cause: "clock-jump" | "never-freed"; readonly fault?: FaultEvent } {
    const { faults } = this.#evidence;
    const jump = faults.during(["clock-jump"], 0, time).at(-1);
    if (jump !== undefined) return { cause: "clock-jump", fault: jump };
    const crash = faults.during(["kill-client"], 0, time).at(-1);
    return { cause: "never-freed", ...(crash === undefined ? {} : { fault: crash }) };
  }

  #observe(event: Extract<Completion, { f: "observe"; type: "ok" }>): void {
    const pttlMs = event.value?.pttlMs;
    if (pttlMs === undefined) return;
    this.#sought = true;
    const maxTtl = this.#of(event.key).maxTtl;
    const endless = pttlMs === -1;
    if (!endless && pttlMs * NANOSECONDS_PER_MS <= maxTtl) return;
    const { cause, fault } = this.#cause(event.time);
    this.#findings.add(() => ({
      events: eventList(event.index, fault?.index),
      cause,
      ...(fault === undefined ? {} : { fault: fault.index }),
      explanation: endless
        ? `At ${ms(event.time)} the lock ${event.key} existed without an expiry: if its holder dies now, nobody will ever acquire it. It must be taken and given its TTL in one step.`
        : `At ${ms(event.time)} the lock ${event.key} had ${pttlMs} ms left to live, more than the ${ms(maxTtl)} that anybody ever asked for.`,
    }));
  }
}

function endInWords({ end, leaseEnd }: Hold): string {
  switch (end?.by) {
    case undefined:
      return `had a lease until ${ms(leaseEnd)}`;
    case "release":
      return `released it at ${ms(end.time)}`;
    case "lost":
      return `was told at ${ms(end.time)} that its lease was gone`;
    case "kill":
      return `died at ${ms(end.time)}`;
    case "abandoned":
      return `acquired anew at ${ms(end.time)}`;
  }
}
