import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import { CoarseClock } from "./coarse-clock.ts";
import { UncertainClocks } from "./uncertain-clocks.ts";

/**
 * What stands between a recording and the checkers, so that its times say no more than the clocks by which they were recorded:
 * for a recording by another program the precision of the clock, and where the header says so by how much several clocks may differ.
 */
export class RecordedTimes {
  readonly #coarse: CoarseClock | undefined;
  readonly #uncertain: UncertainClocks | undefined;

  /** @param foreign whether another program recorded the history */
  constructor(header: HistoryHeader, foreign: boolean) {
    const isInOrder = typeof header["backend"] === "string" || header["source"] === "jepsen";
    const coarse = foreign && !isInOrder ? new CoarseClock(header) : undefined;
    this.#coarse = coarse;
    this.#uncertain =
      (header.clockUncertaintyMs ?? 0) > 0 ? new UncertainClocks(header, () => coarse?.tick ?? 1) : undefined;
  }

  /** Why the rest of the history is not judged, if so. */
  get excess(): string | undefined {
    return this.#coarse?.excess ?? this.#uncertain?.excess;
  }

  get remarks(): readonly string[] {
    return [...(this.#coarse?.remarks ?? []), ...(this.#uncertain?.remarks ?? [])];
  }

  /** Takes the next event. Returns what can be judged now. */
  push(recorded: HistoryEvent): readonly HistoryEvent[] {
    const events = this.#coarse?.push(recorded) ?? [recorded];
    return this.#uncertain === undefined ? events : events.flatMap((event) => this.#uncertain?.push(event) ?? []);
  }

  /** To be called after the last event. Returns the rest. `isTorn`: the recording lost its end. */
  finish(isTorn: boolean): readonly HistoryEvent[] {
    const events = this.#coarse?.finish(isTorn) ?? [];
    if (this.#uncertain === undefined) return events;
    return [...events.flatMap((event) => this.#uncertain?.push(event) ?? []), ...this.#uncertain.finish(isTorn)];
  }

  /** The same verdict, or a part of one, with the events as the recording counts them. */
  inRecording<T>(verdict: T): T {
    const coarsely = this.#uncertain?.places.inRecording(verdict) ?? verdict;
    return this.#coarse?.places.inRecording(coarsely) ?? coarsely;
  }
}
