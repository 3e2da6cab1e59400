import { createHash } from "node:crypto";
import { outsideSimulation } from "./current-context.ts";

const BUFFER_BYTES = 1 << 14;
/** Of a safe integer. */
const MOST_DIGITS = 16;
const LINE_END = 0x0a;
const BLANK = 0x20;
const ZERO = 0x30;
const LAST_ASCII = 0x7f;

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

  /** The line of an event, `12000 client-0 timer`, without making its text: a run has hundreds. */
  event(atUs: number, who: string, label: string): void {
    const most = MOST_DIGITS + who.length + label.length + 3;
    if (this.#listener === undefined && most <= BUFFER_BYTES) {
      if (this.#used + most > BUFFER_BYTES) this.#flush();
      const start = this.#used;
      this.#decimal(atUs);
      this.#buffer[this.#used++] = BLANK;
      if (this.#ascii(who)) {
        this.#buffer[this.#used++] = BLANK;
        if (this.#ascii(label)) {
          this.#buffer[this.#used++] = LINE_END;
          return;
        }
      }
      this.#used = start;
    }
    this.line(`${atUs} ${who} ${label}`);
  }

  #decimal(integer: number): void {
    let digits = 1;
    for (let power = 10; power <= integer; power *= 10) digits += 1;
    let rest = integer;
    for (let at = this.#used + digits - 1; at >= this.#used; at -= 1) {
      const higher = Math.floor(rest / 10);
      this.#buffer[at] = ZERO + (rest - higher * 10);
      rest = higher;
    }
    this.#used += digits;
  }

  /** Writes a text whose characters take one byte each; false when one takes more. */
  #ascii(text: string): boolean {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > LAST_ASCII) return false;
      this.#buffer[this.#used++] = code;
    }
    return true;
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
    this.#buffer[this.#used++] = LINE_END;
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
