import type { HistoryEvent } from "../history/history.ts";

/** How many events at least are known of what follows an event when it is judged. */
const AHEAD = 2000;

/**
 * Keeps events back for a while, so that what follows them is known when they are judged: whether two processes are two
 * clients may show only afterwards.
 */
export class Lookahead {
  #events: HistoryEvent[] = [];
  readonly #foresee: (event: HistoryEvent) => void;

  /** @param foresee is given each event long before it is judged */
  constructor(foresee: (event: HistoryEvent) => void) {
    this.#foresee = foresee;
  }

  /** Takes the next event. Returns what can be judged now. */
  push(event: HistoryEvent): readonly HistoryEvent[] {
    this.#foresee(event);
    this.#events.push(event);
    // Many at once, because to take one from the front moves all others.
    return this.#events.length < 2 * AHEAD ? [] : this.#events.splice(0, AHEAD);
  }

  /** To be called after the last event. Returns the rest. */
  finish(): readonly HistoryEvent[] {
    return this.#events.splice(0);
  }
}
