import type { Shard } from "../../campaign/campaign-journal.ts";
import { UserError } from "../../core/errors.ts";
import type { Flags } from "../command.ts";

/**
 * The value of `--shard`, `2/4` for the second of four parts.
 * @throws UserError when it is not of this form
 */
export function readShard(flags: Flags): Shard | undefined {
  const text = flags.text("shard");
  if (text === undefined) return undefined;
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index !== undefined && count !== undefined && index >= 1 && index <= count) return { index, count };
  throw new UserError(`--shard "${text}" is not a shard`, "write the second of four shards as --shard 2/4");
}
