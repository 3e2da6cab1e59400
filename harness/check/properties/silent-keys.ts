import { inFigures } from "../../core/words/in-figures.ts";
import { isEndless } from "../../history/holds/endless-lease.ts";
import { NANOSECONDS_PER_MS, ONE_OF_SEVERAL } from "../../history/history.ts";
import type { CompletionEvent } from "../../history/operations.ts";
import { UNORDERED } from "../../history/unordered.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { timeWords } from "../words.ts";
import type { Seek, WatchedKey } from "./stuck-lock.ts";

/** For how long a lock may be busy beyond the longest lease, and how long one request must wait beyond that to be telling. */
const SLACK_NS = 2000 * NANOSECONDS_PER_MS;

/** Fewer short requests without an answer may be chance. */
const TELLING = 2;

/** So many keys must have gone silent that fewer than one in a hundred histories have as many of them by chance. */
const BY_CHANCE = 0.01;

/** The requests for a key since its lock last answered anything. */
interface Silence {
  readonly times: number;
  readonly until: number;
  /** For how long one waited at most while no lease that is known of can have been in force. */
  readonly longestWait: number;
  /** Who asked first, and whether others did too. */
  readonly process: number;
  readonly isOfSeveral: boolean;
}

/**
 * Keys whose lock stops to answer: each request that was asked for, or still waited, when no lease that is known of can be in force
 * has an unknown outcome, fails for another reason than that somebody holds, or is never over. The lock may be stuck for ever,
 * or out of reach: nobody knows whether the key has become free. After a fault one client alone may be getting over it, as
 * `UngrantedRequests` remarks. Where requests are left without an answer now and then, so are the last ones of some among many keys.
 */
export class SilentKeys {
  readonly #evidence: SharedEvidence;
  /** By key, when its lock last granted, refused, extended or ended something. */
  readonly #heard = new Map<string, number>();
  readonly #silent = new Map<string, Silence>();
  /** By how many requests a concluded key left without an answer, how many such keys there are, and what is to be said of the first. */
  readonly #concluded = new Map<number, { keys: number; readonly reason: string }>();
  #calmSince = 0;
  #keys = 0;
  /** Since the last fault: requests that were answered, and those that were not although their lock answered others later. */
  #answered = 0;
  #unanswered = 0;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  /** Why nobody knows whether a key became free, if there is such a key among those that are concluded. */
  get reason(): string | undefined {
    const share = this.#unanswered / Math.max(1, this.#unanswered + this.#answered);
    let keys = 0;
    for (const [times, found] of [...this.#concluded].toSorted(([one], [other]) => other - one)) {
      keys += found.keys;
      if (chanceOfAsMany(keys, this.#keys * share ** times) < BY_CHANCE) return found.reason;
    }
    return undefined;
  }

  hear(key: string, time: number): void {
    if (!this.#heard.has(key)) this.#keys += 1;
    this.#heard.set(key, time);
    this.#unanswered += this.#silent.get(key)?.times ?? 0;
    this.#silent.delete(key);
  }

  /** A fault began or was over. */
  disturb(time: number): void {
    this.#calmSince = time;
    this.#silent.clear();
    [this.#answered, this.#unanswered] = [0, 0];
  }

  /** A request is over. */
  answer(seek: Seek, event: Extract<CompletionEvent, { f: "acquire" }>, state: WatchedKey): void {
    const reason = event.type === "ok" ? undefined : event.value?.reason;
    const isRefused = event.type === "fail" && (reason === "contended" || reason === ONE_OF_SEVERAL);
    // The recording has an outcome where only the clock leaves open when it came.
    const isAnswer = event.type === "ok" || isRefused || reason === UNORDERED;
    if (isAnswer) {
      this.#answered += 1;
      this.hear(seek.key, event.time);
    } else this.#miss(seek, event.time, state);
  }

  /** Nothing more will happen with this key: what is not over will not be answered. */
  conclude(key: string, state: WatchedKey): void {
    for (const seek of state.seeking.values()) {
      if (this.#isWaiting(seek)) this.#miss(seek, this.#evidence.stoppedAt, state);
      else this.#unanswered += 1;
    }
    this.#conclude(key);
    this.#heard.delete(key);
    this.#silent.delete(key);
  }

  /** Whether it was asked for since, or waited until the end: a client that goes on under another process number does not. */
  #isWaiting({ key, time, process }: Seek): boolean {
    return time >= (this.#heard.get(key) ?? 0) || this.#evidence.holds.lineage.isLastOfClient(process);
  }

  #miss(seek: Seek, time: number, { maxTtl, unknown }: WatchedKey): void {
    // A client that does not release counts as the holder.
    if (this.#evidence.holds.count(seek.key) > 0) {
      this.#unanswered += 1;
      return;
    }
    const since = Math.max(this.#heard.get(seek.key) ?? 0, this.#calmSince);
    // Without leases it is free as soon as it was released, unless a request of unknown outcome may have taken it.
    const free = since + (isEndless(maxTtl) && unknown === 0 ? 0 : maxTtl) + SLACK_NS;
    if (time <= free) {
      this.#unanswered += 1;
      return;
    }
    const known = this.#silent.get(seek.key);
    const { process = seek.process, isOfSeveral = false } = known ?? {};
    this.#silent.set(seek.key, {
      times: (known?.times ?? 0) + 1,
      until: time,
      longestWait: Math.max(time - Math.max(seek.time, free), known?.longestWait ?? 0),
      process,
      isOfSeveral: isOfSeveral || !this.#evidence.holds.sameClient(process, seek.process),
    });
  }

  #conclude(key: string): void {
    const silence = this.#silent.get(key);
    if (silence === undefined || (silence.times < TELLING && silence.longestWait <= SLACK_NS)) return;
    if (this.#calmSince > 0 && !silence.isOfSeveral) return;
    const found = this.#concluded.get(silence.times);
    if (found === undefined) this.#concluded.set(silence.times, { keys: 1, reason: this.#reasonOf(key, silence) });
    else found.keys += 1;
  }

  #reasonOf(key: string, { times, until }: Silence): string {
    const since = timeWords(this.#heard.get(key) ?? 0);
    const requests = times === 1 ? "1 request" : `${inFigures(times)} requests`;
    return (
      `no client was granted ${key} after ${since}, or told that another client holds it: ${requests} until ${timeWords(until)} ended otherwise or never, ` +
      "although no lease that is known of was in force any more; the lock may be stuck, or out of reach"
    );
  }
}

/** At most how likely it is that at least `count` come about where `expected` do on average: the bound of Chernoff for Poisson's distribution. */
function chanceOfAsMany(count: number, expected: number): number {
  return count <= expected ? 1 : Math.exp(count - expected) * (expected / count) ** count;
}
