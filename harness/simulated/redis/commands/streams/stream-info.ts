import { at, fail, numberArgument, readAs } from "../../arguments.ts";
import { command, container, SECOND_KEY, type Caller, type Command } from "../../command.ts";
import { cString } from "../../execute.ts";
import { byName, type Consumer, type ConsumerGroup } from "../../keyspace/consumer-group.ts";
import { lagOf } from "../../keyspace/group-progress.ts";
import type { Stream } from "../../keyspace/stream.ts";
import { formatId } from "../../keyspace/stream-id.ts";
import { MapReply, type Reply } from "../../protocol/reply.ts";
import { entryReply } from "./stream-ids.ts";

/** Entries that the real server keeps in one node of its tree, if they are small. */
const NODE_ENTRIES = 100;

export const infoCommands: readonly Command[] = [
  container("xinfo", "", [
    command("stream", -3, "readonly", SECOND_KEY, streamInfo),
    command("groups", 3, "readonly", SECOND_KEY, groupsInfo),
    command("consumers", 4, "readonly", SECOND_KEY, consumersInfo),
  ]),
];

/** Ends a command of a container whose arguments fit none of its subcommands. */
export function wrongSubcommand(argv: readonly string[]): never {
  const [name, sub] = [at(argv, 0).toUpperCase(), cString(at(argv, 1)).slice(0, 128)];
  return fail(`ERR unknown subcommand or wrong number of arguments for '${sub}'. Try ${name} HELP.`);
}

function streamToShow(argv: readonly string[], caller: Caller): Stream {
  return readAs(caller, at(argv, 2), "stream")?.stream ?? fail("ERR no such key");
}

function groupsInfo(argv: readonly string[], caller: Caller): Reply {
  const stream = streamToShow(argv, caller);
  return byName(stream.groups).map(
    ([name, group]) =>
      new MapReply([
        ...["name", name, "consumers", group.consumers.size, "pending", group.pending.size],
        ...progress(stream, group, caller),
      ]),
  );
}

function progress(stream: Stream, group: ConsumerGroup, caller: Caller): readonly Reply[] {
  const [read, lag] = [group.entriesRead ?? null, lagOf(stream, group, caller.server.isModern) ?? null];
  return ["last-delivered-id", formatId(group.lastId), "entries-read", read, "lag", lag];
}

function consumersInfo(argv: readonly string[], caller: Caller): Reply {
  const name = at(argv, 3);
  const group = streamToShow(argv, caller).groups.get(name);
  if (group === undefined) {
    return fail(`NOGROUP No such consumer group '${cString(name)}' for key name '${cString(at(argv, 2))}'`);
  }
  const { nowMs, isModern } = caller.server;
  return byName(group.consumers).map(([each, { pending, seenAtMs, activeAtMs }]) => {
    const idle = ["name", each, "pending", pending.size, "idle", Math.max(0, nowMs - seenAtMs)];
    const inactive = activeAtMs === -1 ? -1 : nowMs - activeAtMs;
    return new MapReply(isModern ? [...idle, "inactive", inactive] : idle);
  });
}

function streamInfo(argv: readonly string[], caller: Caller): Reply {
  const stream = streamToShow(argv, caller);
  const limit = argv.length === 3 ? undefined : fullLimit(argv);
  const { entries } = stream;
  const nodes = Math.ceil(entries.length / NODE_ENTRIES);
  const common: Reply[] = [
    ...["length", entries.length, "radix-tree-keys", nodes, "radix-tree-nodes", nodes + 1],
    ...["last-generated-id", formatId(stream.lastId), "max-deleted-entry-id", formatId(stream.maxDeletedId)],
    ...["entries-added", stream.entriesAdded, "recorded-first-entry-id", formatId(stream.firstId)],
  ];
  if (limit !== undefined) return new MapReply([...common, ...everything(stream, limit, caller)]);
  const [first, last] = [entries[0], entries.at(-1)];
  return new MapReply([
    ...common,
    ...["groups", stream.groups.size],
    ...["first-entry", first === undefined ? null : entryReply(first)],
    ...["last-entry", last === undefined ? null : entryReply(last)],
  ]);
}

/** Reads `FULL [COUNT count]`; 0 means everything. */
function fullLimit(argv: readonly string[]): number {
  const [full, countWord, count] = argv.slice(3);
  if ((argv.length !== 4 && argv.length !== 6) || full?.toLowerCase() !== "full") return wrongSubcommand(argv);
  if (count === undefined) return 10;
  if (countWord?.toLowerCase() !== "count") return wrongSubcommand(argv);
  const number = numberArgument(count);
  if (number < 0) return 10;
  return number === 0 ? Number.POSITIVE_INFINITY : number;
}

function everything(stream: Stream, limit: number, caller: Caller): readonly Reply[] {
  const groups = byName(stream.groups).map(([name, group]) => {
    const pending = group.pending
      .all()
      .slice(0, limit)
      .map((each) => [formatId(each.id), each.consumer.name, each.deliveredAtMs, each.deliveries]);
    const consumers = byName(group.consumers).map(([, consumer]) => consumerInFull(consumer, limit, caller));
    return new MapReply([
      ...["name", name, ...progress(stream, group, caller)],
      ...["pel-count", group.pending.size, "pending", pending, "consumers", consumers],
    ]);
  });
  return ["entries", stream.entries.slice(0, limit).map(entryReply), "groups", groups];
}

function consumerInFull(consumer: Consumer, limit: number, caller: Caller): Reply {
  const pending = consumer.pending
    .all()
    .slice(0, limit)
    .map((each) => [formatId(each.id), each.deliveredAtMs, each.deliveries]);
  const active = caller.server.isModern ? ["active-time", consumer.activeAtMs] : [];
  return new MapReply([
    ...["name", consumer.name, "seen-time", consumer.seenAtMs, ...active],
    ...["pel-count", consumer.pending.size, "pending", pending],
  ]);
}
