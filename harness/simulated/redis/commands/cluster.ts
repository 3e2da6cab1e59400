import { type Caller, command, container, NO_KEYS, type Command } from "../command.ts";
import { ErrorReply } from "../protocol/reply.ts";

/** Its subcommands with the number of their arguments and their flags, in a server without cluster support. */
const SUBCOMMANDS: readonly (readonly [name: string, arity: number, flags: string])[] = [
  ["addslots", -3, "admin stale no_async_loading"],
  ["addslotsrange", -4, "admin stale no_async_loading"],
  ["bumpepoch", 2, "admin stale no_async_loading"],
  ["count-failure-reports", 3, "admin stale"],
  ["countkeysinslot", 3, "stale"],
  ["delslots", -3, "admin stale no_async_loading"],
  ["delslotsrange", -4, "admin stale no_async_loading"],
  ["failover", -2, "admin stale no_async_loading"],
  ["flushslots", 2, "admin stale no_async_loading"],
  ["forget", 3, "admin stale no_async_loading"],
  ["getkeysinslot", 4, "stale"],
  ["help", 2, "loading stale"],
  ["info", 2, "stale"],
  ["keyslot", 3, "stale"],
  ["links", 2, "stale"],
  ["meet", -4, "admin stale no_async_loading"],
  ["myid", 2, "stale"],
  ["nodes", 2, "stale"],
  ["replicas", 3, "admin stale"],
  ["replicate", 3, "admin stale no_async_loading"],
  ["reset", -2, "admin noscript stale"],
  ["saveconfig", 2, "admin stale no_async_loading"],
  ["set-config-epoch", 3, "admin stale no_async_loading"],
  ["setslot", -4, "admin stale no_async_loading"],
  ["slaves", 3, "admin stale"],
];

/** What a cluster client asks before it sends anything else; a program that looks whether there is a cluster asks INFO. */
const OF_CLUSTER_CLIENTS: ReadonlySet<string> = new Set(["shards", "slots"]);

/**
 * CLUSTER, whose every subcommand answers that cluster support is off; SHARDS and SLOTS may be asked while loading
 * since 7.2.
 */
export const clusterCommands = {
  old: cluster(["shards", 2, "stale"], ["slots", 2, "stale"]),
  modern: cluster(["myshardid", 2, "stale"], ["shards", 2, "loading stale"], ["slots", 2, "loading stale"]),
};

function cluster(...more: typeof SUBCOMMANDS): readonly Command[] {
  const all = [...SUBCOMMANDS, ...more].map(([name, arity, flags]) =>
    command(name, arity, flags, NO_KEYS, OF_CLUSTER_CLIENTS.has(name) ? askedForSlots : noCluster),
  );
  return [container("cluster", "", all)];
}

function askedForSlots([, name = ""]: readonly string[], { server }: Caller): ErrorReply {
  server.hooks.clusterWanted?.(`CLUSTER ${name.toUpperCase()}`);
  return noCluster();
}

/** The reply of every command that only a cluster can answer. */
export function noCluster(): ErrorReply {
  return new ErrorReply("ERR This instance has cluster support disabled");
}
