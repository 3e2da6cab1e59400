import { UserError } from "../core/errors.ts";
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

/** A journal, and the part of its campaign that it records; without one, the whole. */
export interface ShardOfFile {
  readonly file: string;
  readonly shard?: Shard | undefined;
}

/**
 * Refuses journals that are not parts of one division, and the same part twice: one of them may be a former attempt.
 * @throws UserError naming both files
 */
export function refuseMixedShards(journals: readonly ShardOfFile[]): void {
  const known = new Map<number | undefined, ShardOfFile>();
  for (const journal of journals) {
    const [first] = known.values();
    if (first !== undefined && first.shard?.count !== journal.shard?.count) {
      throw new UserError(
        `${first.file} is ${partName(first.shard)}, and ${journal.file} is ${partName(journal.shard)}`,
        "merge the shards of one division; you can also name a journal file",
      );
    }
    const index = journal.shard?.index;
    const same = known.get(index);
    if (same !== undefined) {
      throw new UserError(
        `${same.file} and ${journal.file} both are ${partName(journal.shard)}`,
        "leave one of them out: the one that was not finished",
      );
    }
    known.set(index, journal);
  }
}

function partName(shard: Shard | undefined): string {
  return shard === undefined ? "a whole campaign" : `shard ${shard.index} of ${shard.count}`;
}

/** The shards that are missing, in words: `shard 2, 5 to 7 of 8`; undefined when none is, or nothing was divided. */
export function missingShards(present: readonly (Shard | undefined)[]): string | undefined {
  const shards = present.filter((shard) => shard !== undefined);
  const count = shards[0]?.count ?? 0;
  const indices = new Set(shards.map(({ index }) => index));
  const missing = Array.from({ length: count }, (_, position) => position + 1).filter((index) => !indices.has(index));
  return missing.length === 0 ? undefined : `shard ${rangesIn(missing)} of ${count}`;
}

/** Ascending numbers in a few words: neighbours as ranges. */
function rangesIn(numbers: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges
    .map(([from, to]) => (from === to ? `${from}` : `${from}${to === from + 1 ? ", " : " to "}${to}`))
    .join(", ");
}
