/** Prints the current step on standard error: on a terminal one line that is rewritten, elsewhere one line per step. */
export class StepLine implements Disposable {
  readonly #live = process.stderr.isTTY;
  #text = "";

  step(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#clear();
    process.stderr.write(this.#live ? text.slice(0, (process.stderr.columns || 80) - 1) : `${text}\n`);
  }

  /** Takes the line away. */
  [Symbol.dispose](): void {
    this.#clear();
    this.#text = "";
  }

  #clear(): void {
    if (this.#live) process.stderr.write("\r\u001b[K");
  }
}
