import { printable } from "../core/printable.ts";
import type { Progress } from "../campaign/run-environment.ts";
import { progressStream } from "./terminal.ts";

/** The parts of a stream that progress needs. */
export interface ProgressStream {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): unknown;
  /** Erases the last line. */
  clearLine?(): unknown;
}

/** How often a terminal's line is drawn, and a step is written elsewhere, in milliseconds. */
const PACES_MS = { terminal: 200, log: 10_000 };

/**
 * Shows progress on standard error: on a terminal one line that is rewritten, elsewhere (a pipe, CI) the first step and
 * then the current one every ten seconds, besides what stays. Standard output is reserved for results.
 */
export class TerminalProgress implements Progress, Disposable {
  readonly #stream: ProgressStream;
  readonly #live: boolean;
  readonly #begun = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #text = "";
  #written = -Infinity;

  constructor(stream: ProgressStream = progressStream) {
    this.#stream = stream;
    this.#live = stream.isTTY && process.env["CI"] === undefined;
  }

  /** The current step. */
  step(text: string): void {
    if (text === this.#text) return;
    this.#text = printable(text);
    this.#show();
    // The seconds count on although nothing happens, so that a wait does not look like a hang.
    const pace = this.#live ? PACES_MS.terminal : PACES_MS.log;
    this.#timer ??= setInterval(() => this.#show(), pace).unref();
  }

  /** A line that stays, such as a finding. */
  note(line: string): void {
    this.#clear();
    this.#stream.write(`${printable(line)}\n`);
    if (this.#live && this.#text !== "") this.#draw();
  }

  /** Takes the live line away. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
    this.#text = "";
  }

  #show(): void {
    if (this.#live) this.#draw();
    // A simulation keeps the timer waiting, so the time counts, not the ticks.
    else if (performance.now() - this.#written >= PACES_MS.log - PACES_MS.terminal) {
      this.#written = performance.now();
      this.#stream.write(`[${this.#seconds()}] ${this.#text}\n`);
    }
  }

  #draw(): void {
    const line = `[${this.#seconds()}] ${this.#text}`;
    this.#clear();
    this.#stream.write(line.slice(0, (this.#stream.columns || 80) - 1));
  }

  #clear(): void {
    if (this.#live) this.#stream.clearLine?.();
  }

  #seconds(): string {
    return `${((performance.now() - this.#begun) / 1000).toFixed(1)} s`;
  }
}
