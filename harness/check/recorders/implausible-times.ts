import { isEndless } from "../../history/holds/endless-lease.ts";
import { NANOSECONDS_PER_MS, type HistoryHeader } from "../../history/history.ts";
import type { Property, PropertyVerdict, Violation } from "../../core/verdict.ts";
import { isExpiredGrant, onlyCertain } from "./only-certain.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { ownerName } from "../../history/owner-value.ts";

/** No request over a network is answered within this time, in nanoseconds. */
const QUICKEST = 10_000;
/** No conclusion is drawn from fewer operations. */
const FEWEST = 3;
/** Of a history with more processes nothing is said by its length. */
const MOST_PROCESSES = 1000;

/** The properties that compare times with leases, which are in milliseconds: with other times they may accuse a sound lock. */
const BY_LEASES: readonly Property[] = ["lease-exclusion", "owner-release", "linearizability"];

/** Of an owner value that is granted a key again they say whether it entered its hold once more, or began another. */
const BY_REENTRIES: readonly Property[] = ["mutual-exclusion", "fencing-tokens"];
/** The properties that ask in which order operations of several clients took effect. */
const BY_ORDER: readonly Property[] = [...BY_LEASES, ...BY_REENTRIES];
const ONE_TIME =
  "most operations begin and end at one time: write when the client asked as the `time` of an invocation, and when it had the answer as that of the completion";
const IF_RIGHT = 'If they are right, write "timeUnit":"ns" in the first line';

/** How many owner values are remembered. */
const REMEMBERED_OWNERS = 10_000;

/** The times of so many events are kept. */
const KEPT_TIMES = 100_000;

const QUESTION =
  "most operations took less than 0.01 ms, which no network does: is every `time` in nanoseconds? Multiply milliseconds by 1000000, microseconds by 1000";

/**
 * Whether the times of another program's history may have another unit than nanoseconds. Leases then seem to last far
 * longer than they did, and a lock seems to grant what it has promised. A header with `"timeUnit":"ns"` says that they have not.
 */
export class ImplausibleTimes {
  readonly #isKnown: boolean;
  /** Whether the order of the lines is that of the events, whatever their times. */
  readonly #isInOrder: boolean;
  readonly #processes = new Set<number>();
  #quick = 0;
  #slow = 0;
  #unmeasured = 0;
  /** Whether the clock is fine enough to show how long an operation over a network takes. */
  #isFine = false;
  #firstTime: number | undefined;
  #lastTime = 0;
  #endingLeases = false;
  #shortestLeaseMs = Infinity;
  /** By the index of the event. */
  readonly #times: number[] = [];
  readonly #owners = new OldestFirst<string, true>(REMEMBERED_OWNERS);
  #isOwnerReused = false;

  constructor(header: HistoryHeader) {
    this.#isInOrder = header["source"] === "jepsen";
    this.#isKnown = typeof header["backend"] === "string" || header["timeUnit"] === "ns";
  }

  push({ event, invocation }: HistoryStep): void {
    if (this.#isKnown) return;
    if (event.index < KEPT_TIMES) this.#times[event.index] = event.time;
    if (typeof event.process !== "number") return;
    this.#noteLeases(event);
    this.#firstTime ??= event.time;
    this.#isFine ||= (event.time - this.#firstTime) % QUICKEST !== 0;
    this.#lastTime = event.time;
    if (this.#processes.size <= MOST_PROCESSES) this.#processes.add(event.process);
    if (event.type === "invoke" || invocation === undefined) return;
    if (event.type === "ok" && event.f === "acquire") this.#granted(event.key, event.value.owner);
    if (invocation.f === "acquire" && !isEndless(invocation.value.ttlMs * NANOSECONDS_PER_MS))
      this.#endingLeases = true;
    const took = event.time - invocation.time;
    // A coarse clock shows operations that took no time at all.
    if (took === 0) this.#unmeasured += 1;
    else if (took < QUICKEST) this.#quick += 1;
    else this.#slow += 1;
  }

  get remarks(): readonly string[] {
    return [...(this.#areImplausible ? [QUESTION] : []), ...(this.#areOfOneTime ? [ONE_TIME] : [])];
  }

  /** The verdict on a property, without the accusations that depend on the unit of the times, or on when operations began. */
  withoutDoubtful(property: Property, verdict: PropertyVerdict): PropertyVerdict {
    if (this.#areOfOneTime && BY_ORDER.includes(property))
      return onlyCertain(verdict, isExpiredGrant, `${ONE_TIME}. ${IF_RIGHT}`);
    const isByLeases = BY_LEASES.includes(property) || (this.#isOwnerReused && BY_REENTRIES.includes(property));
    if (!isByLeases || !this.#areImplausible) return verdict;
    return onlyCertain(verdict, (violation) => this.#isCertain(violation), `${QUESTION}. ${IF_RIGHT}`);
  }

  /** Whether it is one in each unit: a validity that is over says so itself, and leases of any length outlast a moment. */
  #isCertain(violation: Violation): boolean {
    if (isExpiredGrant(violation)) return true;
    const times = violation.events.map((index) => this.#times[index] ?? Infinity);
    const longestMs = Math.max(...times) - Math.min(...times);
    // Half of it leaves room for the drift of clocks.
    return !this.#isOwnerReused && longestMs < this.#shortestLeaseMs / 2;
  }

  #noteLeases(event: HistoryStep["event"]): void {
    const { ttlMs, validForMs } = (event.value ?? {}) as { readonly ttlMs?: number; readonly validForMs?: number };
    const leasesMs = [ttlMs, validForMs].filter((ms) => ms !== undefined);
    this.#shortestLeaseMs = Math.min(this.#shortestLeaseMs, ...leasesMs);
  }

  #granted(key: string, owner: string): void {
    const name = ownerName(key, owner);
    this.#isOwnerReused ||= this.#owners.get(name) === true;
    this.#owners.set(name, true);
  }

  get #areImplausible(): boolean {
    return this.#endingLeases && ((this.#quick >= FEWEST && this.#quick > this.#slow) || this.#isTooShort);
  }

  /** Whether a clock that would show how long operations take shows nothing of it. */
  get #areOfOneTime(): boolean {
    const isMost = this.#unmeasured >= FEWEST && this.#unmeasured > this.#quick + this.#slow;
    return isMost && this.#isFine && !this.#isTooShort && !this.#isInOrder;
  }

  /** Whether the processes together had less time than so many operations need. */
  get #isTooShort(): boolean {
    const operations = this.#quick + this.#slow + this.#unmeasured;
    const length = this.#lastTime - (this.#firstTime ?? 0);
    const isKnown = length > 0 && this.#processes.size <= MOST_PROCESSES;
    return isKnown && operations >= FEWEST && length * this.#processes.size < operations * QUICKEST;
  }
}
