/** Memory that threads share, by which one tells the others to begin nothing more: a busy thread receives no message. */
export class StopFlag {
  /** What another thread makes the same flag of. */
  readonly memory: SharedArrayBuffer;
  readonly #flag: Int32Array;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#flag = new Int32Array(memory);
  }

  raise(): void {
    Atomics.store(this.#flag, 0, 1);
  }

  get isRaised(): boolean {
    return Atomics.load(this.#flag, 0) === 1;
  }
}
