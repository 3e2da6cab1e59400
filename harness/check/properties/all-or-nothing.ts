import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import { listed } from "../../core/listed.ts";
import { NANOSECONDS_PER_MS, ONE_OF_SEVERAL } from "../../history/history.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, VALID } from "../findings.ts";
import { GRANTABLE_TTL_MS } from "../liveness/grantable-ttl.ts";
import { clientInWords, timeWords } from "../words.ts";

/** Without a fault, whatever was sent has arrived after this long: what a failed try took is given back by then. */
const SETTLED = 1000 * NANOSECONDS_PER_MS;

type Seek = Extract<InvocationEvent, { f: "acquire" }>;

/** An operation on several keys that ended and must have left this one free: an acquire that failed, or a release. */
interface Leaver {
  readonly invocation: Extract<InvocationEvent, { f: "acquire" | "release" }>;
  readonly completion: CompletionEvent;
  /** All its keys. */
  readonly keys: readonly string[];
}

/** An owner that was granted a key and has not given it back. */
interface Held {
  /** How many entries are left to release. */
  readonly entries: number;
  /** All keys of its acquisition. */
  readonly keys: readonly string[];
}

/** What is known of a key since the history began. */
interface KeyState {
  /** By owner value, who was granted it and has not given it back. */
  readonly holders: Map<string, Held>;
  /** Processes whose operation on it is under way. */
  readonly underWay: Set<number>;
  /** Somebody may hold it whom nobody knows of. */
  unsure: boolean;
  /** When the last operation on it was completed. */
  quietSince: number;
  /** The last operation on several keys that may have left it behind, since it was granted last. */
  leaver: Leaver | undefined;
  /** A try that nobody has any reason to refuse, unless another operation begins before its answer. */
  probe: Seek | undefined;
}

/**
 * P9, all or nothing: an acquisition of several keys that fails leaves none of them behind, and a release gives back
 * all. A violation is a try for one key that is refused as contended although nobody holds the key for certain: every
 * owner that was ever granted it has given it back; no operation on it was under way at the time, nor in the second
 * before; none had an unknown outcome; and since it was granted last, an acquisition of several keys with this one
 * among them has failed, or a release of several has succeeded. Without a fault nothing is under way for longer than
 * that, so a run is judged until its first fault, and a history that lockstorm did not record is not.
 */
export const allOrNothing: CheckerFactory = {
  property: "all-or-nothing",
  create: (evidence) => new AllOrNothing(evidence),
};

class AllOrNothing implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("all-or-nothing");
  readonly #keys = new Map<string, KeyState>();
  #disturbed = false;
  #several = false;
  #probed = false;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push({ event, invocation }: HistoryStep): void {
    if (event.type === "notice" || (event.type === "fault" && event.value.outcome !== "skipped"))
      this.#disturbed = true;
    if (event.type === "invoke") this.#begin(event);
    else if (event.type === "ok" || event.type === "fail" || event.type === "info") this.#end(event, invocation);
  }

  conclude(key: string): void {
    this.#keys.delete(key);
  }

  finish(): PropertyVerdict {
    return this.#findings.verdict(this.#withoutViolation());
  }

  #withoutViolation(): PropertyVerdict {
    if (!this.#several) return notApplicable("no client asked for several keys at once");
    if (this.#probed) return VALID;
    return notApplicable("no client asked for a key that an operation on several had certainly left free");
  }

  #begin(event: InvocationEvent): void {
    if (event.f === "read" || event.f === "write" || event.f === "observe") return;
    const state = this.#of(event.key);
    state.probe = event.f === "acquire" && this.#mustBeGranted(event, state) ? event : undefined;
    state.underWay.add(event.process);
    if (event.f === "acquire" && event.value.alsoKeys !== undefined) this.#several = true;
  }

  #mustBeGranted({ key, time, value }: Seek, state: KeyState): boolean {
    const { holders, underWay, unsure, quietSince, leaver } = state;
    if (!this.#evidence.beganFree || this.#evidence.isShareable(key)) return false;
    if (leaver === undefined || unsure || holders.size > 0 || underWay.size > 0) return false;
    return value.alsoKeys === undefined && value.ttlMs >= GRANTABLE_TTL_MS && time >= quietSince + SETTLED;
  }

  #end(event: CompletionEvent, invocation: InvocationEvent | undefined): void {
    const state = this.#keys.get(event.key);
    if (state === undefined || !state.underWay.delete(event.process)) return;
    state.quietSince = event.time;
    if (invocation?.f === "acquire") this.#answer(state, invocation, event);
    else if (invocation?.f === "release") this.#release(state, invocation, event);
    else if (event.type === "info") state.unsure = true;
  }

  #answer(state: KeyState, invocation: Seek, event: CompletionEvent): void {
    const { probe } = state;
    state.probe = undefined;
    if (event.type === "ok" && event.f === "acquire") {
      if (probe === invocation) this.#probed = true;
      state.leaver = undefined;
      const { owner } = event.value;
      state.holders.set(owner, { entries: (state.holders.get(owner)?.entries ?? 0) + 1, keys: keysOf(invocation) });
      return;
    }
    const reason = event.type === "fail" ? event.value?.reason : undefined;
    if (reason === ONE_OF_SEVERAL) state.leaver = { invocation, completion: event, keys: keysOf(invocation) };
    else if (reason !== "contended") state.unsure = true;
    else if (probe === invocation && !this.#disturbed) this.#accuse(state, invocation, event);
  }

  #release(state: KeyState, invocation: Extract<InvocationEvent, { f: "release" }>, event: CompletionEvent): void {
    const { owner } = invocation.value;
    const held = state.holders.get(owner);
    if (event.type !== "ok" || event.f !== "release" || !event.value.released || held === undefined) {
      state.unsure = true;
      return;
    }
    const { entries, keys } = held;
    if (entries > 1) state.holders.set(owner, { entries: entries - 1, keys });
    else state.holders.delete(owner);
    if (keys.length > 1) state.leaver = { invocation, completion: event, keys };
  }

  #accuse({ leaver }: KeyState, seek: Seek, refusal: CompletionEvent): void {
    if (leaver === undefined) return;
    this.#findings.add(() => this.#describe(leaver, seek, refusal));
  }

  #describe({ invocation, completion, keys: all }: Leaver, seek: Seek, refusal: CompletionEvent): Violation {
    const { header } = this.#evidence;
    const { key } = seek;
    const keys = listed(all.toSorted());
    const who = clientInWords(header, invocation.process);
    const left =
      invocation.f === "acquire"
        ? `${who} had asked for ${keys} at once, and was refused at ${timeWords(completion.time)} because one of them was held`
        : `${who} had released ${keys} at ${timeWords(completion.time)}`;
    const account =
      `${clientInWords(header, seek.process)} was refused ${key} at ${timeWords(refusal.time)} as contended, but nobody held it: ` +
      `each owner that was ever granted ${key} had given it back, and nothing was under way. Before that, ${left}.`;
    const why =
      invocation.f === "acquire"
        ? `the failed acquisition took ${key} and left it behind`
        : `the release did not give back ${key}`;
    return explain(
      account,
      [invocation.index, completion.index, seek.index, refusal.index],
      [{ cause: "left-behind", events: [], why, ground: { on: "history" }, remedies: [] }],
    );
  }

  #of(key: string): KeyState {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh: KeyState = {
      holders: new Map(),
      underWay: new Set(),
      unsure: false,
      quietSince: 0,
      leaver: undefined,
      probe: undefined,
    };
    this.#keys.set(key, fresh);
    return fresh;
  }
}

function keysOf({ key, value }: Seek): readonly string[] {
  return [key, ...(value.alsoKeys ?? [])];
}
