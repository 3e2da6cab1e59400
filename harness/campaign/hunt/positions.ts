const FIRST_BYTES = 1024;

/** A set of positions of a campaign: a bit for each, because there may be millions. */
export class Positions {
  #bits = new Uint8Array(FIRST_BYTES);

  /** Whether it was not there before. */
  add(position: number): boolean {
    const [index, bit] = [Math.floor(position / 8), 1 << (position % 8)];
    if (index >= this.#bits.length) this.#grow(index);
    const known = this.#bits[index] ?? 0;
    this.#bits[index] = known | bit;
    return (known & bit) === 0;
  }

  #grow(index: number): void {
    const bits = new Uint8Array(Math.max(index + 1, 2 * this.#bits.length));
    bits.set(this.#bits);
    this.#bits = bits;
  }
}
