import { textOf } from "./answer-words.ts";
import type { EdnMap } from "./edn-forms.ts";
import { ENDLESS_TTL_MS } from "../holds/endless-lease.ts";
import type { FieldDoubt } from "./usual-fields.ts";

/** What is wrong with the `:time` of an operation, whatever the operation is. It may be left out, or be in seconds. */
export function timeDoubt({ time = null }: EdnMap): FieldDoubt | undefined {
  if (time === null || (typeof time === "number" && Number.isFinite(time))) return undefined;
  if (typeof time === "bigint") {
    return {
      problem: ":time: too large to be exact, beyond 2^53",
      hint: "count :time from the start of the test, as Jepsen does: subtract the first one from all",
    };
  }
  return {
    problem: `:time ${typeof time === "number" ? String(time) : textOf(time)}: not a time`,
    hint: "give an integer number of nanoseconds; where it is not known, leave :time out in all lines",
  };
}

/**
 * The times of events. The order of the lines is time enough for a lock without leases; how long a lease has lasted only
 * `:time` can say, so each operation needs one from the first lease on.
 */
export class EdnTimes {
  #last = 0;
  #moved = 0;
  #hasLeases = false;
  #asksForLeases = false;

  /** How many times did not fit the order of the lines. */
  get moved(): number {
    return this.#moved;
  }

  /** Whether an operation so far asked for a lease, other than for ever. */
  get asksForLeases(): boolean {
    return this.#asksForLeases;
  }

  /**
   * The time of an event in nanoseconds, which is never before the last one: Jepsen's workers read the clock before they append
   * to the file, so that the order of the lines is the order of the events.
   */
  of({ time = null, process = null }: EdnMap, value: object | undefined): number | FieldDoubt {
    const asks = value !== undefined && "ttlMs" in value && value.ttlMs !== ENDLESS_TTL_MS;
    const states = asks || (value !== undefined && "validForMs" in value);
    this.#asksForLeases ||= asks;
    this.#hasLeases ||= states;
    const exact = typeof time === "number" && Number.isInteger(time) ? time : undefined;
    if (this.#hasLeases && process !== "nemesis" && (exact ?? -1) < 0) {
      const lack =
        exact !== undefined
          ? "and a :time below zero"
          : time === null
            ? "without a :time"
            : "and a :time that is no integer";
      return {
        problem: states
          ? `a lease (:ttlMs, :validForMs) ${lack}`
          : `an operation ${lack}, where another states a lease`,
        hint: "give every operation its :time, an integer number of nanoseconds since the start of the test",
      };
    }
    const stated = exact ?? this.#last + 1;
    if (stated < this.#last) this.#moved += 1;
    this.#last = Math.max(this.#last, stated);
    return this.#last;
  }
}
