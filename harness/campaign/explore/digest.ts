/**
 * A running digest of 64 bits: two FNV-1a chains with different offsets, each finished by MurmurHash3's finalizer. It
 * tells different schedules apart: among a million of them the chance that any two have the same digest is below 1 in
 * 30 million.
 */
export class Digest {
  #left: number;
  #right: number;

  constructor(from: { readonly left: number; readonly right: number } = { left: 0x811c_9dc5, right: 0x1234_5679 }) {
    this.#left = from.left;
    this.#right = from.right;
  }

  text(text: string): this {
    for (let index = 0; index < text.length; index += 1) this.#add(text.charCodeAt(index));
    // So that "ab" and "c" differ from "a" and "bc".
    this.#add(0x1_0000);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    for (const byte of bytes) this.#add(byte);
    this.#add(0x1_0000);
    return this;
  }

  /** Eleven characters. More can follow. */
  value(): string {
    return ((BigInt(mixed(this.#left)) << 32n) | BigInt(mixed(this.#right))).toString(36).padStart(13, "0");
  }

  #add(unit: number): void {
    this.#left = Math.imul(this.#left ^ unit, 0x0100_0193);
    this.#right = Math.imul(this.#right ^ unit, 0x85eb_ca6b) + 0x9e37;
  }
}

function mixed(hash: number): number {
  let mixing = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixing = Math.imul(mixing ^ (mixing >>> 13), 0xc2b2_ae35);
  return (mixing ^ (mixing >>> 16)) >>> 0;
}
