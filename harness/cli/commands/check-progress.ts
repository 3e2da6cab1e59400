import type { HistoryInput } from "../history-input.ts";
import { Progress, type ProgressStream } from "../progress.ts";

/** How long to say nothing, and how long between two words, in milliseconds: on a terminal, and in a log. */
const PACES = { terminal: { quiet: 500, every: 200 }, log: { quiet: 10_000, every: 10_000 } };

/** Says how far the reading of a history is, when it takes long enough for anybody to ask. */
export class CheckProgress implements Disposable {
  readonly #progress: Progress;
  readonly #input: HistoryInput;
  readonly #every: number;
  #due: number;
  #events = 0;

  constructor(input: HistoryInput, stream: ProgressStream = process.stderr) {
    this.#progress = new Progress(stream);
    this.#input = input;
    const { quiet, every } = stream.isTTY ? PACES.terminal : PACES.log;
    this.#every = every;
    this.#due = performance.now() + quiet;
  }

  /** That many more events were judged. */
  add(events: number): void {
    this.#events += events;
    if (performance.now() < this.#due) return;
    this.#due = performance.now() + this.#every;
    const { bytesRead, size } = this.#input;
    const share = size === undefined || size === 0 ? "" : `, ${Math.floor((bytesRead / size) * 100)} %`;
    const read = `${(bytesRead / 1e6).toFixed(0)} MB`;
    this.#progress.step(`${this.#events.toLocaleString("en")} events, ${read}${share}`);
  }

  [Symbol.dispose](): void {
    this.#progress[Symbol.dispose]();
  }
}
