import {
  HISTORY_FORMAT,
  HISTORY_VERSION,
  type History,
  type HistoryEvent,
  type HistoryHeader,
  type Unstamped,
} from "../core/history.ts";

/** Facts of a run for the first line of its history. */
export type RunFacts = Omit<HistoryHeader, "format" | "version">;

/** Where a recorder writes, a line at a time, each with its line feed. */
export type LineSink = (line: string) => void;

/**
 * Appends events to a history: stamps them with the true clock and the next index, and hands each to the sink before
 * `record` returns, so that what happened is on disk when the harness dies.
 */
export class Recorder {
  readonly #now: () => number;
  readonly #sink: LineSink | undefined;
  readonly #header: HistoryHeader;
  readonly #events: HistoryEvent[] = [];
  #lastTime = 0;
  #sealed = false;

  constructor(facts: RunFacts, now: () => number, sink?: LineSink) {
    this.#now = now;
    this.#sink = sink;
    this.#header = { format: HISTORY_FORMAT, version: HISTORY_VERSION, ...facts };
    this.#sink?.(`${JSON.stringify(this.#header)}\n`);
  }

  /** What was recorded so far. */
  get history(): History {
    return { header: this.#header, events: this.#events };
  }

  /** From now on nothing is added: the history is judged, and what still comes in belongs to no run. */
  seal(): void {
    this.#sealed = true;
  }

  /** Stamps and appends an event. @throws what the sink throws */
  record(event: Unstamped): HistoryEvent {
    // Two readings of a clock may be equal, never reversed; the format demands the same of its lines.
    this.#lastTime = Math.max(this.#lastTime, this.#now());
    const stamped: HistoryEvent = { index: this.#events.length, time: this.#lastTime, ...event };
    if (this.#sealed) return stamped;
    this.#events.push(stamped);
    this.#sink?.(`${JSON.stringify(stamped)}\n`);
    return stamped;
  }
}
