import { UserError } from "../../core/errors.ts";
import type { Shard } from "../../run/campaign-journal.ts";
import type { Flags } from "../command.ts";

/** The value of `--shard`, `2/4` for the second of four parts. @throws UserError when it is none */
export function readShard(flags: Flags): Shard | undefined {
  const text = flags.text("shard");
  if (text === undefined) return undefined;
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index !== undefined && count !== undefined && index >= 1 && index <= count) return { index, count };
  throw new UserError(`--shard "${text}" is no part of a campaign`, "write the second of four parts as --shard 2/4");
}

/** Whether a shard does the piece of work at a position, counted from 0. Neighbours go to different shards. */
export function isInShard(position: number, shard: Shard | undefined): boolean {
  return shard === undefined || position % shard.count === shard.index - 1;
}

/** What is added to the names of a shard's files. */
export function shardSuffix(shard: Shard | undefined): string {
  return shard === undefined ? "" : `-${shard.index}-of-${shard.count}`;
}
