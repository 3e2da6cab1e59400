import {
  HISTORY_FORMAT,
  HISTORY_VERSION,
  type EndMarker,
  type History,
  type HistoryEvent,
  type HistoryHeader,
  type Unstamped,
} from "../history/history.ts";

/** Facts of a run for the first line of its history. */
export type RunFacts = Omit<HistoryHeader, "format" | "version">;

/** The target of a recorder's lines, one at a time, each with its line feed. */
export type LineSink = (line: string) => void;

/**
 * Appends events to a history: stamps them with the true clock and the next index, and hands each to the sink before
 * `record` returns, so that the events are on disk if the harness dies.
 */
export class Recorder {
  readonly #now: () => number;
  readonly #sink: LineSink | undefined;
  readonly #header: HistoryHeader;
  readonly #events: HistoryEvent[] = [];
  #end: EndMarker | undefined;
  #lastTime = 0;
  #sealed = false;

  constructor(facts: RunFacts, now: () => number, sink?: LineSink) {
    this.#now = now;
    this.#sink = sink;
    this.#header = { format: HISTORY_FORMAT, version: HISTORY_VERSION, ...facts };
    this.#sink?.(`${JSON.stringify(this.#header)}\n`);
  }

  /** The events recorded so far. */
  get history(): History {
    return { header: this.#header, events: this.#events, end: this.#end };
  }

  /** From now on nothing is added: the history is being judged, and later events belong to no run. */
  seal(): void {
    this.#sealed = true;
  }

  /** Writes the end marker, unless the history is sealed, and seals it. @throws what the sink throws */
  end(value: EndMarker["value"]): void {
    if (this.#sealed) return;
    this.#sealed = true;
    this.#end = { ...this.#stamp(), process: "harness", type: "end", value };
    this.#sink?.(`${JSON.stringify(this.#end)}\n`);
  }

  /** Stamps and appends an event. @throws what the sink throws */
  record(event: Unstamped): HistoryEvent {
    const stamped: HistoryEvent = { ...this.#stamp(), ...event };
    if (this.#sealed) return stamped;
    this.#events.push(stamped);
    this.#sink?.(`${JSON.stringify(stamped)}\n`);
    return stamped;
  }

  #stamp(): { readonly index: number; readonly time: number } {
    // Two readings of a clock may be equal, never reversed; the format requires the same of its lines.
    this.#lastTime = Math.max(this.#lastTime, this.#now());
    return { index: this.#events.length, time: this.#lastTime };
  }
}
