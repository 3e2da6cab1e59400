import type { HistoryInput } from "../../run/history-input.ts";
import { progressStream } from "../terminal.ts";
import { TerminalProgress, type ProgressStream } from "../terminal-progress.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/**
 * How long to stay silent at first, and the interval between two messages, in milliseconds: on a terminal, and in a
 * log.
 */
const PACES = { terminal: { quiet: 500, every: 200 }, log: { quiet: 10_000, every: 10_000 } };

/** Reports how much of a history has been read, when reading takes long. */
export class CheckProgress implements Disposable {
  readonly #progress: TerminalProgress;
  readonly #input: HistoryInput;
  readonly #every: number;
  #due: number;
  #events = 0;

  constructor(input: HistoryInput, stream: ProgressStream = progressStream) {
    this.#progress = new TerminalProgress(stream);
    this.#input = input;
    const { quiet, every } = stream.isTTY ? PACES.terminal : PACES.log;
    this.#every = every;
    this.#due = performance.now() + quiet;
  }

  /** This many more events were judged. */
  add(events: number): void {
    this.#events += events;
    if (performance.now() < this.#due) return;
    this.#due = performance.now() + this.#every;
    const { bytesRead, size } = this.#input;
    const share = size === undefined || size === 0 ? "" : `, ${Math.floor((bytesRead / size) * 100)} %`;
    const read = `${inFigures(bytesRead / 1e6, 0)} MB`;
    this.#progress.step(`${inFigures(this.#events)} events, ${read}${share}`);
  }

  [Symbol.dispose](): void {
    this.#progress[Symbol.dispose]();
  }
}
