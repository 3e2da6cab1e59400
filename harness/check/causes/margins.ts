import type { Margin, Margins } from "../../core/verdict.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Hold } from "../../history/holds.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { PassedWaits } from "./passed-waits.ts";

/** Measures how close a run came to a violation, event by event. */
export class MarginWatch {
  readonly #evidence: SharedEvidence;
  /** By key, the hold that ended last. */
  readonly #lastEnded = new Map<string, Hold>();
  readonly #waits = new PassedWaits();
  #smallestGap: Margin | undefined;
  #overlapped = false;
  #smallestValidityLeft: Margin | undefined;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  push(step: HistoryStep): void {
    this.#waits.push(step);
    for (const { kind, hold } of step.changes) {
      if (kind === "granted") this.#granted(hold);
      else if (kind === "ended") this.#ended(hold);
    }
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    this.#lastEnded.delete(key);
    this.#waits.conclude(key);
  }

  /** To be called after the last event. */
  finish(): Margins {
    const largestPause = this.#largestPause();
    const mostPassed = this.#waits.longest;
    return {
      ...(this.#smallestGap === undefined || this.#overlapped ? {} : { smallestGap: this.#smallestGap }),
      ...(this.#smallestValidityLeft === undefined ? {} : { smallestValidityLeft: this.#smallestValidityLeft }),
      ...(largestPause === undefined ? {} : { largestPause }),
      ...(mostPassed === undefined ? {} : { mostPassed }),
    };
  }

  #granted(hold: Hold): void {
    const end = this.#lastEnded.get(hold.key)?.end;
    if (this.#evidence.holds.count(hold.key) > 1) {
      // While somebody else holds there is no gap; if nobody else may, this run has none worth telling.
      this.#overlapped ||= hold.share.kind === "exclusive";
      return;
    }
    if (end === undefined) return;
    const gap = { nanoseconds: hold.grantedTime - end.time, events: [end.index, hold.grantedIndex] };
    if (gap.nanoseconds < (this.#smallestGap?.nanoseconds ?? Infinity)) this.#smallestGap = gap;
  }

  #ended(hold: Hold): void {
    if (hold.end === undefined || hold.end.by === "abandoned") return;
    this.#lastEnded.set(hold.key, hold);
    if (hold.end.by !== "release") return;
    // What its client was told: whether something of unknown outcome made the lease shorter, nobody knows.
    const until = hold.leaseCut?.toldEnd ?? hold.leaseEnd;
    const left = { nanoseconds: until - hold.end.time, events: [hold.end.index] };
    if (left.nanoseconds < (this.#smallestValidityLeft?.nanoseconds ?? Infinity)) this.#smallestValidityLeft = left;
  }

  #largestPause(): Margin | undefined {
    const pauses = this.#evidence.faults.faults
      .filter(({ traits, event }) => traits.pauses !== undefined && event.value.outcome === "installed")
      .map(({ event, healed }) => ({
        nanoseconds: (healed?.time ?? this.#evidence.endTime) - event.time,
        events: healed === undefined ? [event.index] : [event.index, healed.index],
      }));
    return pauses.toSorted((left, right) => right.nanoseconds - left.nanoseconds)[0];
  }
}
