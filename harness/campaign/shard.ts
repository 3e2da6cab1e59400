import type { Shard } from "./campaign-journal.ts";

/**
 * Whether a shard does the piece of work at a position, counted from 0. Neighbouring positions go to different shards.
 */
export function isInShard(position: number, shard: Shard | undefined): boolean {
  return shard === undefined || position % shard.count === shard.index - 1;
}

/** The suffix of the names of a shard's files. */
export function shardSuffix(shard: Shard | undefined): string {
  return shard === undefined ? "" : `-${shard.index}-of-${shard.count}`;
}
