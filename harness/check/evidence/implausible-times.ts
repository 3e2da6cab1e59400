import { isEndless } from "../../history/holds/endless-lease.ts";
import { NANOSECONDS_PER_MS, type HistoryHeader } from "../../history/history.ts";
import type { Property, PropertyVerdict } from "../../core/verdict.ts";
import { unknown } from "../findings.ts";
import type { HistoryStep } from "./history-step.ts";

/** No request over a network is answered within this time, in nanoseconds. */
const QUICKEST = 10_000;
/** No conclusion is drawn from fewer operations. */
const FEWEST = 3;
/** Of a history with more processes nothing is said by its length. */
const MOST_PROCESSES = 1000;

/** The properties that compare times with leases, which are in milliseconds: with other times they may accuse a sound lock. */
const BY_LEASES: readonly Property[] = ["lease-exclusion", "owner-release", "linearizability"];

const QUESTION =
  "most operations took less than 0.01 ms, which no network does: is every `time` in nanoseconds? Multiply milliseconds by 1000000, microseconds by 1000";

/**
 * Whether the times of another program's history may have another unit than nanoseconds. Leases then seem to last far
 * longer than they did, and a lock seems to grant what it has promised. A header with `"timeUnit":"ns"` says that they have not.
 */
export class ImplausibleTimes {
  readonly #isKnown: boolean;
  readonly #processes = new Set<number>();
  #quick = 0;
  #slow = 0;
  #unmeasured = 0;
  #firstTime: number | undefined;
  #lastTime = 0;
  #endingLeases = false;

  constructor(header: HistoryHeader) {
    this.#isKnown = typeof header["backend"] === "string" || header["timeUnit"] === "ns";
  }

  push({ event, invocation }: HistoryStep): void {
    if (this.#isKnown || typeof event.process !== "number") return;
    this.#firstTime ??= event.time;
    this.#lastTime = event.time;
    if (this.#processes.size <= MOST_PROCESSES) this.#processes.add(event.process);
    if (event.type === "invoke" || invocation === undefined) return;
    if (invocation.f === "acquire" && !isEndless(invocation.value.ttlMs * NANOSECONDS_PER_MS))
      this.#endingLeases = true;
    const took = event.time - invocation.time;
    // A coarse clock shows operations that took no time at all.
    if (took === 0) this.#unmeasured += 1;
    else if (took < QUICKEST) this.#quick += 1;
    else this.#slow += 1;
  }

  get remarks(): readonly string[] {
    return this.#areImplausible ? [QUESTION] : [];
  }

  /** The verdict on a property, without the accusations that depend on the unit of the times. */
  withoutDoubtful(property: Property, verdict: PropertyVerdict): PropertyVerdict {
    if (verdict.verdict !== "invalid" || !BY_LEASES.includes(property) || !this.#areImplausible) return verdict;
    // A validity that is over says so itself.
    const violations = verdict.violations.filter(({ cause }) => cause === "expired-grant");
    return violations.length > 0
      ? { ...verdict, violations }
      : unknown(`${QUESTION}. If they are right, write "timeUnit":"ns" in the first line`);
  }

  get #areImplausible(): boolean {
    return this.#endingLeases && ((this.#quick >= FEWEST && this.#quick > this.#slow) || this.#isTooShort);
  }

  /** Whether the processes together had less time than so many operations need. */
  get #isTooShort(): boolean {
    const operations = this.#quick + this.#slow + this.#unmeasured;
    const length = this.#lastTime - (this.#firstTime ?? 0);
    const isKnown = length > 0 && this.#processes.size <= MOST_PROCESSES;
    return isKnown && operations >= FEWEST && length * this.#processes.size < operations * QUICKEST;
  }
}
