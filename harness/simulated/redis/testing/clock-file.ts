import { closeSync, openSync, writeSync } from "node:fs";

/** The clock of a real server that runs with `frozen-clock.c` preloaded: it stands still until it is set. */
export class ClockFile implements Disposable {
  nowUs: number;
  readonly #file: number;

  /** Creates the file if necessary. The server maps it, so it must exist before the server starts. */
  constructor(path: string, startUs: number) {
    this.#file = openSync(path, "a+");
    closeSync(this.#file);
    this.#file = openSync(path, "r+");
    this.nowUs = startUs;
    this.set(startUs);
  }

  /** Sets the clock, in integer microseconds of Unix time. */
  set(us: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(us));
    writeSync(this.#file, bytes, 0, 8, 0);
    this.nowUs = us;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
