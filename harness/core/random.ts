import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { uniformInt } from "pure-rand/distribution/uniformInt";

/** A stream of random numbers, determined by its seed and its purpose. */
export interface Random {
  /** A uniform integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** `length` random bytes. */
  bytes(length: number): Uint8Array;
}

/**
 * A stream for one purpose. Streams of different purposes are independent, so that one more draw in one place changes
 * nothing elsewhere. Give each use its own purpose: `"conn:client-0:node-1"`.
 */
export function randomStream(seed: number, purpose: string): Random {
  const generator = xoroshiro128plus(hashOf(`${seed}\0${purpose}`));
  const integer = (min: number, max: number): number => uniformInt(generator, min, max);
  return {
    integer,
    bytes: (length) => {
      const bytes = new Uint8Array(length);
      for (let index = 0; index < length; index += 1) bytes[index] = integer(0, 255);
      return bytes;
    },
  };
}

/**
 * 32 bits of a text: FNV-1a, then MurmurHash3's finalizer, which spreads it over all bits. A simulation makes hundreds
 * of streams for each run, so a cryptographic hash would cost noticeable time.
 */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
