/** What progress needs of a stream. */
export type ProgressStream = Pick<NodeJS.WriteStream, "isTTY" | "columns"> & { write(text: string): unknown };

/**
 * Says what is going on, on standard error: on a terminal one line that is rewritten, elsewhere (CI) a plain line for
 * each step. Standard output stays free for results.
 */
export class Progress implements Disposable {
  readonly #stream: ProgressStream;
  readonly #live: boolean;
  readonly #begun = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #text = "";

  constructor(stream: ProgressStream = process.stderr) {
    this.#stream = stream;
    this.#live = stream.isTTY && process.env["CI"] === undefined;
  }

  /** What is being done now. */
  step(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (!this.#live) {
      this.#stream.write(`[${this.#seconds()}] ${text}\n`);
      return;
    }
    this.#draw();
    // The seconds go on although nothing happens, so that nobody takes waiting for hanging.
    this.#timer ??= setInterval(() => this.#draw(), 200).unref();
  }

  /** A line that stays, such as a finding. */
  note(line: string): void {
    this.#clear();
    this.#stream.write(`${line}\n`);
    if (this.#live && this.#text !== "") this.#draw();
  }

  /** Takes the live line away. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
    this.#text = "";
  }

  #draw(): void {
    const line = `[${this.#seconds()}] ${this.#text}`;
    this.#clear();
    this.#stream.write(line.slice(0, (this.#stream.columns || 80) - 1));
  }

  #clear(): void {
    if (this.#live) this.#stream.write("\r\u001b[K");
  }

  #seconds(): string {
    return `${((performance.now() - this.#begun) / 1000).toFixed(1)} s`;
  }
}
