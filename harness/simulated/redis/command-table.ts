import { container, type Command } from "./command.ts";
import { bitfieldCommands } from "./commands/bits/bitfields.ts";
import { bitmapCommands } from "./commands/bits/bitmaps.ts";
import { clientCommands, modernClientCommands } from "./commands/client.ts";
import { clusterCommands } from "./commands/cluster.ts";
import { connectionCommands } from "./commands/connection.ts";
import { expiryCommands } from "./commands/expiry.ts";
import { functionCommands } from "./commands/functions.ts";
import { hashFieldExpiryCommands } from "./commands/hash-field-expiry.ts";
import { hashFieldValueCommands } from "./commands/hash-field-values.ts";
import { hashCommands } from "./commands/hashes.ts";
import { keyCommands } from "./commands/keys.ts";
import { blockingListCommands, listCommands } from "./commands/lists.ts";
import { pubsubCommands } from "./commands/pubsub.ts";
import { replicationCommands, waitCommands } from "./commands/replication.ts";
import { scriptingCommands } from "./commands/scripting.ts";
import { serverCommands } from "./commands/server.ts";
import { setCommands } from "./commands/sets.ts";
import { combiningSortedSetCommands } from "./commands/sorted-set-combinations.ts";
import { blockingSortedSetCommands, rankCommands, sortedSetCommands } from "./commands/sorted-sets.ts";
import { streamCommands } from "./commands/streams/streams.ts";
import { stringCommands } from "./commands/strings.ts";
import { transactionCommands } from "./commands/transactions.ts";
import type { RedisVersion } from "./server.ts";

/**
 * All commands of a version, by lower-case name; `more` adds commands or replaces those of the same name. Tables are
 * made once per process for each list of these, because they serve thousands of servers.
 */
export function buildCommands(version: RedisVersion, more: readonly Command[]): ReadonlyMap<string, Command> {
  const known = tables[version].get(more);
  if (known !== undefined) return known;
  const table = usualCommands(version);
  for (const each of more) table.set(each.name, each);
  tables[version].set(more, table);
  return table;
}

const tables: Readonly<Record<RedisVersion, WeakMap<readonly Command[], ReadonlyMap<string, Command>>>> = {
  "8.0.2": new WeakMap(),
  "7.0.15": new WeakMap(),
};

function usualCommands(version: RedisVersion): Map<string, Command> {
  const isOld = version === "7.0.15";
  const all = [
    ...stringCommands,
    ...bitmapCommands,
    ...bitfieldCommands,
    ...hashCommands,
    ...(isOld ? [] : [...hashFieldExpiryCommands, ...hashFieldValueCommands]),
    ...listCommands,
    ...(isOld ? blockingListCommands.old : blockingListCommands.modern),
    ...setCommands,
    ...sortedSetCommands,
    ...combiningSortedSetCommands,
    ...(isOld ? blockingSortedSetCommands.old : blockingSortedSetCommands.modern),
    ...(isOld ? rankCommands.old : rankCommands.modern),
    ...streamCommands,
    ...keyCommands,
    ...expiryCommands,
    ...transactionCommands,
    ...pubsubCommands,
    ...connectionCommands,
    ...clientCommands.map((each) => (isOld ? each : extend(each, modernClientCommands))),
    ...scriptingCommands,
    ...functionCommands,
    ...serverCommands,
    ...(isOld ? clusterCommands.old : clusterCommands.modern),
    ...replicationCommands,
    ...(isOld ? waitCommands.old : waitCommands.modern),
  ];
  return new Map(all.map((each) => [each.name, each]));
}

function extend(spec: Command, subcommands: readonly Command[]): Command {
  const added = container(spec.name, "", subcommands).subcommands ?? new Map<string, Command>();
  return { ...spec, subcommands: new Map([...(spec.subcommands ?? []), ...added]) };
}
