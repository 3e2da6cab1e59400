import { shareOf } from "../../core/sharing.ts";
import { traitsOf } from "../../../faults/traits.ts";
import { killsClients } from "../../core/fault-traits.ts";
import { clientOf } from "../../history/clients.ts";
import { type FaultEvent, type HistoryEvent, type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { beganFree } from "../evidence/held-before.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { clientInWords, timeWords } from "../words.ts";
import { GRANTABLE_TTL_MS } from "./grantable-ttl.ts";
import { LONG_WAIT_MS } from "./long-wait.ts";

/** Without a fault, what a release has sent to other servers than the one that answered has arrived after this long. */
const SETTLED_NS = 100 * NANOSECONDS_PER_MS;

type Seek = Extract<InvocationEvent, { f: "acquire" }>;

/**
 * Beyond the longest lease after a client's death, how long a grant may take: deadlock-freedom gives as much. What the dead client
 * left, such as the votes of a try on some of the servers, lasts no longer than its lease.
 */
const AFTER_DEATH_NS = 2000 * NANOSECONDS_PER_MS;

/** A client that asked, alone, for a key that nobody held: it was refused, or waited for long. */
export interface FreeWait {
  readonly seek: Seek;
  readonly answer: CompletionEvent;
  /** The release since which nobody held the key; undefined if nobody had held it since the history began. */
  readonly freed: CompletionEvent | undefined;
  /** A process of the client that held the key last, if it died without a release: its lease was over at `from`. */
  readonly dead: number | undefined;
  /** From when to when nobody held the key and the client waited for it, in nanoseconds. */
  readonly from: number;
  readonly to: number;
}

/** What is known of a key. */
interface WatchedKey {
  /** By owner value, how many entries are left to release, and a process of the client. */
  readonly holders: Map<string, { readonly entries: number; readonly process: number }>;
  /** By process, the operations that are under way. */
  readonly underWay: Map<number, InvocationEvent>;
  /** Somebody may hold it whom nobody knows of, or several at a time. */
  unsure: boolean;
  /** The last operation that was completed, and the last release. */
  quietSince: number;
  freed: CompletionEvent | undefined;
  /** A process of the client that held it when it died, if nobody was granted it since. */
  dead: number | undefined;
  /** The only operation under way, if it asks for the key and nobody holds it. */
  alone: { readonly seek: Seek; readonly from: number; readonly begunFree: boolean } | undefined;
}

/**
 * Tries for a key that nobody holds for certain, while no other operation on it is under way, which are refused as contended,
 * or wait for more than half a second. The lock may have left the key behind after a release, so that it is only free when its
 * lease is over; a waiting client may not have been woken; or it asks again too seldom. No property is broken: a lock owes
 * its clients no more than that it becomes free at last. Judged until the first fault, in histories that lockstorm recorded; the death
 * of a client is none, since its leases end: what is granted more than 2 s after the longest lease counted from then is told.
 */
export class FreeWaits {
  readonly #keys = new Map<string, WatchedKey>();
  readonly #tell: (wait: FreeWait) => void;
  readonly #clients: number | undefined;
  #disturbed: boolean;
  /** When the last client died. */
  #diedAt: number | undefined;
  /** The longest lease that was asked for or promised, in nanoseconds. */
  #longest = 0;

  /** @param tell called with each such wait */
  constructor(header: HistoryHeader, tell: (wait: FreeWait) => void) {
    this.#disturbed = !beganFree(header);
    this.#clients = header.clients;
    this.#tell = tell;
  }

  push({ event, invocation }: Pick<HistoryStep, "event" | "invocation">): void {
    if (this.#disturbed) return;
    this.#longest = Math.max(this.#longest, leaseIn(event));
    if (event.type === "fault" && isDeath(event)) this.#bury(event);
    else if (event.type === "notice" || (event.type === "fault" && event.value.outcome !== "skipped")) {
      this.#disturbed = true;
      this.#keys.clear();
    } else if (event.type === "invoke") this.#begin(event);
    else if (event.type === "ok" || event.type === "fail" || event.type === "info") this.#end(event, invocation);
    else if (event.type === "lost") this.#of(event.key).unsure = true;
  }

  conclude(key: string): void {
    this.#keys.delete(key);
  }

  /** A dead client holds until its leases are over; what it had under way may have any effect, and keep its place in a queue. */
  #bury({ time, value }: FaultEvent): void {
    const dead = new Set((value.processes ?? []).map((process) => clientOf(process, this.#clients)));
    const isDead = (process: number): boolean => dead.has(clientOf(process, this.#clients));
    this.#diedAt = time;
    for (const state of this.#keys.values()) {
      for (const process of state.underWay.keys()) {
        if (!isDead(process)) continue;
        state.underWay.delete(process);
        state.unsure = true;
      }
      for (const [owner, { process }] of state.holders) {
        if (!isDead(process)) continue;
        state.holders.delete(owner);
        state.dead = process;
      }
      this.#watch(state, time);
    }
  }

  #begin(event: InvocationEvent): void {
    if (event.f === "read" || event.f === "write" || event.f === "observe") return;
    const state = this.#of(event.key);
    if (event.f === "acquire") {
      const { alsoKeys = [] } = event.value;
      if (shareOf(event.value).kind !== "exclusive" || alsoKeys.length > 0) state.unsure = true;
      for (const key of alsoKeys) this.#of(key).unsure = true;
    }
    state.underWay.set(event.process, event);
    this.#watch(state, event.time, event);
  }

  #end(event: CompletionEvent, invocation: InvocationEvent | undefined): void {
    const state = this.#keys.get(event.key);
    if (state === undefined || invocation === undefined || !state.underWay.delete(event.process)) return;
    if (invocation.f === "acquire") this.#answer(state, invocation, event);
    else if (invocation.f === "release") this.#release(state, invocation, event);
    else if (event.type === "info") state.unsure = true;
    state.quietSince = event.time;
    this.#watch(state, event.time);
  }

  /** Whether one operation is left, which asks for a key that nobody holds. */
  #watch(state: WatchedKey, from: number, begun?: InvocationEvent): void {
    const { holders, underWay, unsure, quietSince } = state;
    const [seek] = underWay.values();
    const isAlone = underWay.size === 1 && seek?.f === "acquire" && seek.value.ttlMs >= GRANTABLE_TTL_MS;
    if (!isAlone || holders.size > 0 || unsure) {
      state.alone = undefined;
      return;
    }
    state.alone = { seek, from, begunFree: seek === begun && from >= quietSince + SETTLED_NS };
  }

  #answer(state: WatchedKey, seek: Seek, answer: CompletionEvent): void {
    const contended = answer.type === "fail" && answer.value?.reason === "contended";
    if (answer.type === "ok" && answer.f === "acquire") {
      this.#judge(state, seek, answer, answer.time);
      const { owner } = answer.value;
      state.holders.set(owner, { entries: (state.holders.get(owner)?.entries ?? 0) + 1, process: answer.process });
      state.dead = undefined;
    } else if (contended) {
      // What a client does when its wait is over, such as giving back votes, may take longer.
      const waited = seek.time + (seek.value.waitMs ?? 0) * NANOSECONDS_PER_MS;
      this.#judge(state, seek, answer, Math.min(answer.time, waited));
    } else state.unsure = true;
  }

  #judge({ alone, freed, dead }: WatchedKey, seek: Seek, answer: CompletionEvent, to: number): void {
    if (alone?.seek !== seek) return;
    const { begunFree } = alone;
    const from = Math.max(alone.from, this.#diedAt === undefined ? 0 : this.#diedAt + this.#longest);
    // Whoever is refused after that finds the lock stuck: deadlock-freedom accuses it.
    if (this.#diedAt !== undefined && (answer.type === "fail" || to - from <= AFTER_DEATH_NS)) return;
    if ((begunFree && answer.type === "fail") || to - from > LONG_WAIT_MS * NANOSECONDS_PER_MS)
      this.#tell({ seek, answer, freed, dead, from, to: Math.max(from, to) });
  }

  #release(state: WatchedKey, { value }: Extract<InvocationEvent, { f: "release" }>, event: CompletionEvent): void {
    const { entries, process } = state.holders.get(value.owner) ?? { process: event.process };
    if (event.type !== "ok" || event.f !== "release" || (event.value.released && entries === undefined))
      state.unsure = true;
    if (event.type !== "ok" || event.f !== "release" || entries === undefined) return;
    state.freed = event;
    // What is no longer there is free, however often it was entered.
    if (entries > 1 && event.value.released) state.holders.set(value.owner, { entries: entries - 1, process });
    else state.holders.delete(value.owner);
  }

  #of(key: string): WatchedKey {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh: WatchedKey = {
      holders: new Map(),
      underWay: new Map(),
      unsure: false,
      quietSince: -Infinity,
      freed: undefined,
      dead: undefined,
      alone: undefined,
    };
    this.#keys.set(key, fresh);
    return fresh;
  }
}

/** The lease that an event asks for or promises, in nanoseconds; 0 without one. */
function leaseIn(event: HistoryEvent): number {
  if (event.type === "renewed") return event.value.validForMs * NANOSECONDS_PER_MS;
  if (event.f !== "acquire" && event.f !== "extend") return 0;
  if (event.type === "invoke") return event.value.ttlMs * NANOSECONDS_PER_MS;
  return event.type === "ok" ? (event.value.validForMs ?? 0) * NANOSECONDS_PER_MS : 0;
}

function isDeath({ f, value: { phase, outcome, processes } }: FaultEvent): boolean {
  return killsClients(traitsOf(f)) && phase === "start" && outcome === "installed" && processes !== undefined;
}

/** Tells a wait: who waited, for what, since when nobody had held it, and for how long. */
export function freeWaitInWords(header: HistoryHeader, { seek, answer, freed, dead, from, to }: FreeWait): string {
  const who = clientInWords(header, seek.process);
  const when = timeWords(answer.time);
  const ended =
    answer.type === "ok" ? `was granted ${seek.key} at ${when}` : `was refused ${seek.key} at ${when} as contended`;
  const since =
    dead !== undefined
      ? `${clientInWords(header, dead)}, which had held it, had died, and its lease was over at ${timeWords(from)}`
      : freed === undefined
        ? "nobody had held it"
        : `nobody had held it since the release of ${clientInWords(header, freed.process)} at ${timeWords(freed.time)}`;
  const waited = to > from ? `; it waited for ${timeWords(to - from)} meanwhile` : "";
  return `${who} ${ended}, although ${since}${waited}`;
}
