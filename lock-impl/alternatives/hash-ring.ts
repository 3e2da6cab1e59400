import { createHash } from "node:crypto";

/** Each digest yields five positions of four bytes, so each node has 160 positions, as with ketama. */
const DIGESTS_PER_NODE = 32;
const POSITION_BYTES = 4;

/**
 * A consistent-hash ring (Karger et al. 1997). Given a key, it returns the indices of all nodes in ring order, the
 * key's home first. When its home is removed, a key moves to the next node; all other keys stay where they are.
 */
export type HashRing = (key: string) => readonly number[];

/** Places the nodes on a ring by their names alone: clients that know the same names have the same ring. */
export function hashRing(names: readonly string[]): HashRing {
  const points = names
    .flatMap((name, node) => positionsOf(name).map((position) => ({ position, node })))
    .sort((a, b) => a.position - b.position || a.node - b.node);
  return (key) => {
    const position = digestOf(key).readUInt32BE(0);
    const start = points.findIndex((point) => point.position >= position);
    // After the last point comes the first.
    const onwards = start === -1 ? points : [...points.slice(start), ...points.slice(0, start)];
    return [...new Set(onwards.map(({ node }) => node))];
  };
}

function positionsOf(name: string): readonly number[] {
  return Array.from({ length: DIGESTS_PER_NODE }, (_, index) => digestOf(`${name}-${index}`)).flatMap((digest) =>
    Array.from({ length: digest.length / POSITION_BYTES }, (_, part) => digest.readUInt32BE(part * POSITION_BYTES)),
  );
}

function digestOf(text: string): Buffer {
  return createHash("sha1").update(text).digest();
}
