import { isEndless } from "../../history/holds/endless-lease.ts";
import { NANOSECONDS_PER_MS, type HistoryHeader } from "../../history/history.ts";
import type { HistoryStep } from "./history-step.ts";

/** No request over a network is answered within this time, in nanoseconds. */
const QUICKEST = 10_000;
/** No conclusion is drawn from fewer operations. */
const FEWEST = 3;

/**
 * Whether the times of another program's history may have another unit than nanoseconds. Leases then seem to last far
 * longer than they did, and a lock seems to grant what it has promised.
 */
export class ImplausibleTimes {
  readonly #recordedHere: boolean;
  #quick = 0;
  #slow = 0;
  #endingLeases = false;

  constructor(header: HistoryHeader) {
    this.#recordedHere = typeof header["backend"] === "string";
  }

  push({ event, invocation }: HistoryStep): void {
    if (this.#recordedHere || event.type === "invoke" || invocation === undefined) return;
    if (invocation.f === "acquire" && !isEndless(invocation.value.ttlMs * NANOSECONDS_PER_MS))
      this.#endingLeases = true;
    const took = event.time - invocation.time;
    // A coarse clock shows operations that took no time at all.
    if (took > 0 && took < QUICKEST) this.#quick += 1;
    else if (took > 0) this.#slow += 1;
  }

  get remarks(): readonly string[] {
    if (!this.#endingLeases || this.#quick < FEWEST || this.#quick <= this.#slow) return [];
    return [
      "most operations took less than 0.01 ms, which no network does: is every `time` in nanoseconds? Multiply milliseconds by 1000000, microseconds by 1000",
    ];
  }
}
