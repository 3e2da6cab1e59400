import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import { NANOSECONDS_PER_MS, type QueuedEvent } from "../../history/history.ts";
import { clientOf } from "../../history/clients.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, VALID } from "../findings.ts";
import { clientInWords, timeWords } from "../words.ts";

/** A fault is recorded after its effect is seen: what happened this long before the record may be its effect. */
const SETTLED = 1000 * NANOSECONDS_PER_MS;

/** Shorter than the time-outs of clients. */
const PROMPT = 500 * NANOSECONDS_PER_MS;

type Seek = Extract<InvocationEvent, { f: "acquire" }>;
type Granted = Extract<CompletionEvent, { f: "acquire"; type: "ok" }>;

/** An acquire that is under way, and what is known of its place in the queue. */
interface Waiter {
  readonly seek: Seek;
  /**
   * The client held the key when it asked, or may have been granted another acquire that it had under way: a re-entry need
   * not queue.
   */
  reenters: boolean;
  /** The client asked before, and gave up: the lock may have kept its place from then. */
  readonly returns: boolean;
  /** When the lock last said that it stands in the queue: it may have lost the place of which it said so before. */
  queued: QueuedEvent | undefined;
  /** The first grant to somebody who asked after that. */
  passedBy: Grant | undefined;
}

interface Grant {
  readonly seek: Seek;
  readonly completion: Granted;
}

/** A waiter that was granted the key after a client that asked later. */
interface Overtaking {
  readonly waiter: Seek;
  readonly queued: QueuedEvent;
  readonly granted: Granted;
  readonly first: Grant;
}

/** What is known of a key. */
interface KeyState {
  /** By process, the acquires under way. */
  readonly waiters: Map<number, Waiter>;
  /** Those that stand in the queue and that nobody has passed, in the order in which the lock said so. */
  readonly standing: Map<number, Waiter>;
  /** By client, how many acquires it has under way, and the first of them. */
  readonly asking: Map<number, { readonly count: number; readonly first: Waiter }>;
  /** Clients that asked for it and gave up, and have not been granted it since. */
  readonly gaveUp: Set<number>;
  /** By client, the owner value that it was granted last, and how many of these grants it has not given back. */
  readonly holders: Map<number, { readonly owner: string; readonly entries: number }>;
  /** The last acquire that is one of the queue. */
  newest: Seek | undefined;
}

/**
 * P10, first come, first served: a client that stands in the queue is granted the lock before every client that asks for
 * it later. The order in which two acquires reached the lock is certain only if the lock told one client that it stands
 * in the queue (`queued`) before the other client asked. A violation is such a pair, where the later one was granted
 * first. The grant of the earlier one is certainly the later grant only if its lease counts from a moment (`grantedAt`)
 * after the grant to the other was completed, and a lease that it was granted at once would have lasted until then: else
 * its grant may have come first, and only the answer late. One try without waiting, a re-entry, and a key that several
 * may hold are no part of the queue, and whoever gave up before may have kept its place. A client that had another acquire of
 * the key under way, perhaps one that is never answered, may have been granted that one, and have entered again. A lock may drop a waiter that
 * does not show itself, so a run is judged until shortly before its first fault or unknown outcome, and a history that
 * lockstorm did not record is not. The release of some locks never reports a result: a prompt one is no sign of trouble, and
 * whenever it takes effect, the key is free for the first of the queue.
 */
export const firstComeFirstServed: CheckerFactory = {
  property: "first-come-first-served",
  create: (evidence) => new FirstComeFirstServed(evidence),
};

class FirstComeFirstServed implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("first-come-first-served");
  readonly #keys = new Map<string, KeyState>();
  /** Found, and not yet excused by a fault that is recorded soon after. */
  readonly #overtakings: Overtaking[] = [];
  /** From when on nothing is certain, in nanoseconds since the start. */
  #certainUntil = Number.POSITIVE_INFINITY;
  #queued = false;
  #tested = false;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push({ event, invocation }: HistoryStep): void {
    if (event.type === "fault" && event.value.outcome !== "skipped") this.#disturb(event.time);
    else if (event.type === "notice") this.#disturb(event.value.from);
    else if (event.type === "queued") this.#queue(event);
    else if (event.type === "invoke") this.#begin(event);
    else if (event.type === "ok" || event.type === "fail" || event.type === "info") this.#end(event, invocation);
  }

  conclude(key: string): void {
    this.#keys.delete(key);
  }

  finish(): PropertyVerdict {
    for (const overtaking of this.#overtakings)
      if (overtaking.granted.time < this.#certainUntil) this.#findings.add(() => this.#describe(overtaking));
    return this.#findings.verdict(this.#withoutViolation());
  }

  #withoutViolation(): PropertyVerdict {
    if (!this.#queued) return notApplicable("no lock told a client that it stands in a queue");
    if (this.#tested) return VALID;
    if (!this.#evidence.beganFree)
      return notApplicable(
        "only a history that lockstorm recorded names every fault, and a lock may drop a waiter because of one",
      );
    return notApplicable("nobody asked for a key after a client that was certain to stand in its queue, undisturbed");
  }

  #disturb(time: number): void {
    this.#certainUntil = Math.min(this.#certainUntil, time - SETTLED);
  }

  #begin(event: InvocationEvent): void {
    if (event.f !== "acquire") return;
    const state = this.#of(event.key);
    const { process } = event;
    const client = this.#clientOf(process);
    const already = state.asking.get(client);
    const waiter: Waiter = {
      seek: event,
      reenters: event.value.inner === true || already !== undefined || state.holders.has(client),
      returns: state.gaveUp.has(client),
      queued: undefined,
      passedBy: undefined,
    };
    // They may be answered in another order than they are granted.
    if (already !== undefined) already.first.reenters = true;
    state.asking.set(client, { count: (already?.count ?? 0) + 1, first: already?.first ?? waiter });
    state.waiters.set(process, waiter);
    if (isInOrder(waiter)) state.newest = event;
  }

  #queue(event: QueuedEvent): void {
    const state = this.#keys.get(event.key);
    const waiter = state?.waiters.get(event.process);
    if (state === undefined || waiter === undefined || !isInOrder(waiter)) return;
    this.#queued = true;
    waiter.queued = event;
    waiter.passedBy = undefined;
    state.standing.delete(event.process);
    state.standing.set(event.process, waiter);
  }

  #end(event: CompletionEvent, invocation: InvocationEvent | undefined): void {
    // A client goes on under another number, and what it did may take effect at any time.
    if (event.type === "info" && !tellsNothing(event, invocation)) this.#disturb(event.time + SETTLED);
    const state = this.#keys.get(event.key);
    if (state === undefined) return;
    if (event.f === "release" && invocation?.f === "release" && event.type === "ok" && event.value.released)
      this.#giveBack(state, event.process, invocation.value.owner);
    if (event.f === "acquire") this.#answer(state, event);
  }

  #giveBack({ holders }: KeyState, process: number, owner: string): void {
    const client = this.#clientOf(process);
    const held = holders.get(client);
    if (held?.owner !== owner) return;
    if (held.entries === 1) holders.delete(client);
    else holders.set(client, { owner, entries: held.entries - 1 });
  }

  #answer(state: KeyState, event: Extract<CompletionEvent, { f: "acquire" }>): void {
    const { process } = event;
    const client = this.#clientOf(process);
    const waiter = state.waiters.get(process);
    state.waiters.delete(process);
    state.standing.delete(process);
    const asking = state.asking.get(client);
    if (asking === undefined || asking.count === 1) state.asking.delete(client);
    else state.asking.set(client, { ...asking, count: asking.count - 1 });
    if (event.type !== "ok") {
      state.gaveUp.add(client);
      return;
    }
    state.gaveUp.delete(client);
    const { owner } = event.value;
    const held = state.holders.get(client);
    // A client that is granted the key under another owner value has forgotten its older hold.
    state.holders.set(client, { owner, entries: held?.owner === owner ? held.entries + 1 : 1 });
    if (waiter !== undefined && isInOrder(waiter) && !this.#evidence.isShareable(event.key))
      this.#grant(state, waiter, event);
  }

  #clientOf(process: number): number {
    return clientOf(process, this.#evidence.header.clients);
  }

  #grant({ standing, newest }: KeyState, { seek, returns, queued, passedBy }: Waiter, completion: Granted): void {
    for (const [process, other] of standing) {
      if (returns || !isBehind(seek, other.queued)) break;
      other.passedBy = { seek, completion };
      standing.delete(process);
    }
    if (queued === undefined || !this.#evidence.beganFree || completion.time >= this.#certainUntil) return;
    if (isBehind(newest, queued)) this.#tested = true;
    const { grantedAt, validForMs } = completion.value;
    if (passedBy === undefined || grantedAt === undefined || grantedAt < passedBy.completion.time) return;
    if (passedBy.completion.time >= earliestEnd(seek, validForMs) || this.#overtakings.length >= MOST_KEPT) return;
    this.#overtakings.push({ waiter: seek, queued, granted: completion, first: passedBy });
  }

  #describe({ waiter, queued, granted, first }: Overtaking): Violation {
    const { header } = this.#evidence;
    const early = clientInWords(header, waiter.process);
    const late = clientInWords(header, first.seek.process);
    const account =
      `${early} stood in the queue for ${waiter.key} at ${timeWords(queued.time)}. ${late} asked for it after that, at ` +
      `${timeWords(first.seek.time)}, and was granted it at ${timeWords(first.completion.time)}; ${early} was still waiting, and was ` +
      `granted it at ${timeWords(granted.time)}.`;
    const explained = explain(
      account,
      [waiter.index, queued.index, first.seek.index, first.completion.index, granted.index],
      [
        {
          cause: "overtaken",
          events: [],
          why: `the lock let ${late} pass the queue`,
          ground: { on: "history" },
          remedies: [],
        },
      ],
    );
    return { ...explained, overlap: { from: first.completion.time, to: granted.time } };
  }

  #of(key: string): KeyState {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh: KeyState = {
      waiters: new Map(),
      asking: new Map(),
      standing: new Map(),
      gaveUp: new Set(),
      holders: new Map(),
      newest: undefined,
    };
    this.#keys.set(key, fresh);
    return fresh;
  }
}

/** Overtakings are kept to the end of the history: this many at most. */
const MOST_KEPT = 1000;

/** Whether the acquire is one of the queue: it waits, it is for this key alone, and it does not re-enter. */
function isInOrder({ seek: { value }, reenters }: Waiter): boolean {
  return !reenters && value.alsoKeys === undefined && value.waitMs !== undefined && value.waitMs > 0;
}

/**
 * When a lease that this acquire was granted at once may end, less 1 % and 2 ms for clock drift, in nanoseconds. The lock may
 * grant shorter leases than are asked for, as the grant that came in the end shows.
 */
function earliestEnd({ time, value: { ttlMs } }: Seek, validForMs = ttlMs): number {
  return time + (0.99 * Math.min(ttlMs, validForMs) - 2) * NANOSECONDS_PER_MS;
}

/** Whether the acquire was invoked after this one certainly stood in the queue. */
function isBehind(seek: Seek | undefined, queued: QueuedEvent | undefined): boolean {
  return seek !== undefined && queued !== undefined && seek.index > queued.index;
}

/** A release that was answered before any time-out, by a lock that does not say what became of it. */
function tellsNothing(event: CompletionEvent, invocation: InvocationEvent | undefined): boolean {
  return event.f === "release" && invocation !== undefined && event.time - invocation.time < PROMPT;
}
