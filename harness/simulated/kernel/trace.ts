import { createHash } from "node:crypto";
import { outsideSimulation } from "./current-context.ts";

const BUFFER_BYTES = 1 << 14;

/**
 * The running hash over everything that happened, in order. Two runs with the same hash were the same run. With a
 * listener each line is also passed out, so that one can see where two runs begin to differ.
 */
export class Trace {
  readonly #hash = createHash("sha256");
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;
  readonly #listener: ((line: string) => void) | undefined;

  constructor(listener?: (line: string) => void) {
    this.#listener = listener;
  }

  line(text: string): void {
    const listener = this.#listener;
    if (listener !== undefined) outsideSimulation(() => listener(text));
    // A UTF-16 code unit takes at most three bytes.
    if (this.#used + text.length * 3 + 1 > BUFFER_BYTES) {
      this.#flush();
      if (text.length * 3 + 1 > BUFFER_BYTES) {
        this.#hash.update(text).update("\n");
        return;
      }
    }
    this.#used += this.#buffer.write(text, this.#used);
    this.#buffer[this.#used++] = 0x0a;
  }

  /** Adds bytes that went over a connection. A listener does not see them. */
  bytes(bytes: Uint8Array): void {
    if (this.#used + bytes.length > BUFFER_BYTES) {
      this.#flush();
      if (bytes.length > BUFFER_BYTES) {
        this.#hash.update(bytes);
        return;
      }
    }
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** The hash so far, in hexadecimal. More can follow. */
  digest(): string {
    this.#flush();
    return this.#hash.copy().digest("hex");
  }

  #flush(): void {
    if (this.#used > 0) this.#hash.update(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}
