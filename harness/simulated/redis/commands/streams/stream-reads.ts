import { at, fail, numberArgument, readAs, syntaxError } from "../../arguments.ts";
import type { Caller } from "../../command.ts";
import { cString } from "../../execute.ts";
import type { Consumer } from "../../keyspace/consumer-group.ts";
import { advance } from "../../keyspace/group-progress.ts";
import {
  compareIds,
  FIRST_ID,
  formatId,
  LAST_ID,
  nextId,
  previousId,
  type StreamId,
} from "../../keyspace/stream-id.ts";
import { MapReply, NULL_ARRAY, type Reply } from "../../protocol/reply.ts";
import { groupOf, propagateEntry, propagateProgress, seenConsumer, type NamedGroup } from "./group-effects.ts";
import { entryReply, strictId } from "./stream-ids.ts";

/** What XREAD and XREADGROUP are asked for. */
interface ReadOptions {
  readonly command: "xread" | "xreadgroup";
  readonly count: number;
  /** Undefined: does not wait. */
  readonly timeoutMs: number | undefined;
  readonly group: { readonly name: string; readonly consumer: string } | undefined;
  /** Entries do not become pending. */
  readonly acknowledged: boolean;
  readonly keys: readonly string[];
  readonly ids: readonly string[];
  /** The arguments up to STREAMS. */
  readonly head: readonly string[];
}

function parse(argv: readonly string[], caller: Caller, command: ReadOptions["command"]): ReadOptions {
  const options: { -readonly [K in keyof ReadOptions]: ReadOptions[K] } = {
    command,
    count: Number.POSITIVE_INFINITY,
    timeoutMs: undefined,
    group: undefined,
    acknowledged: false,
    keys: [],
    ids: [],
    head: [],
  };
  let index = 1;
  for (; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    const more = argv.length - index - 1;
    if (option === "streams" && more > 0) break;
    if (option === "block" && more > 0) {
      options.timeoutMs = timeoutOf(argv, (index += 1), caller);
    } else if (option === "count" && more > 0) {
      const count = numberArgument(at(argv, (index += 1)));
      options.count = count > 0 ? count : Number.POSITIVE_INFINITY;
    } else if (option === "group" && more > 1) {
      onlyForGroups("GROUP", command);
      options.group = { name: at(argv, index + 1), consumer: at(argv, index + 2) };
      index += 2;
    } else if (option === "noack") {
      onlyForGroups("NOACK", command);
      options.acknowledged = true;
    } else throw syntaxError;
  }
  if (index === argv.length) throw syntaxError;
  const names = argv.slice(index + 1);
  if (names.length % 2 !== 0) fail(unbalanced(command, caller.server.isModern));
  if (command === "xreadgroup" && options.group === undefined) fail("ERR Missing GROUP option for XREADGROUP");
  options.keys = names.slice(0, names.length / 2);
  options.ids = names.slice(names.length / 2);
  options.head = argv.slice(0, index + 1);
  return options;
}

function timeoutOf(argv: readonly string[], index: number, caller: Caller): number {
  if (caller.inScript && !caller.server.isModern) {
    fail(`ERR ${cString(at(argv, 0))} command is not allowed with BLOCK option from scripts`);
  }
  const timeoutMs = numberArgument(at(argv, index), "ERR timeout is not an integer or out of range");
  return timeoutMs < 0 ? fail("ERR timeout is negative") : timeoutMs;
}

function onlyForGroups(option: string, command: ReadOptions["command"]): void {
  if (command === "xreadgroup") return;
  fail(`ERR The ${option} option is only supported by XREADGROUP. You called XREAD instead.`);
}

function unbalanced(command: ReadOptions["command"], isModern: boolean): string {
  if (!isModern) {
    return "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.";
  }
  const symbol = command === "xread" ? "ID, '+', or '$'" : "ID or '>'";
  return `ERR Unbalanced '${command}' list of streams: for each stream key an ${symbol} must be specified.`;
}

export function read(argv: readonly string[], caller: Caller): Reply {
  const options = parse(argv, caller, "xread");
  const asked = options.keys.map((key, index) => [key, readAfter(caller, key, at(options.ids, index))] as const);
  const found = asked.flatMap(([key, after]): Reply[][] => {
    const entries = readAs(caller, key, "stream")?.stream.entries ?? [];
    const newer = entries.filter(({ id }) => compareIds(id, after) > 0).slice(0, options.count);
    return newer.length === 0 ? [] : [[key, newer.map(entryReply)]];
  });
  // It waits for entries after the IDs as they are now.
  const waitingFor = asked.map(([, after]) => formatId(after));
  return found.length > 0 ? served(found, caller) : waitOrNull(options, caller, waitingFor);
}

/** The ID after which reading begins. */
function readAfter(caller: Caller, key: string, text: string): StreamId {
  const stream = readAs(caller, key, "stream")?.stream;
  if (text === "$") return stream?.lastId ?? FIRST_ID;
  if (text === "+" && caller.server.isModern) return previousId(stream?.entries.at(-1)?.id ?? FIRST_ID) ?? FIRST_ID;
  if (text === ">") {
    fail("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.");
  }
  return strictId(text);
}

function served(found: readonly Reply[][], caller: Caller): Reply {
  return caller.resp === 3 ? new MapReply(found.flat()) : found;
}

function waitOrNull(options: ReadOptions, caller: Caller, ids: readonly string[]): Reply {
  const { keys, timeoutMs, head, command } = options;
  if (timeoutMs === undefined) return NULL_ARRAY;
  const request = { keys, type: "stream", timeoutMs, alsoWithoutKey: command === "xreadgroup" } as const;
  return caller.server.blocked.wait(caller, request, (key) =>
    caller.server.isModern ? [...head, ...keys, ...ids] : [...head, key, ids[keys.indexOf(key)] ?? ""],
  );
}

/** XREADGROUP: `>` asks for entries that the group was not given yet, an ID for one's own pending entries after it. */
export function readGroup(argv: readonly string[], caller: Caller): Reply {
  // Replicas are told of each entry instead.
  caller.server.rewritten = [];
  const options = parse(argv, caller, "xreadgroup");
  const asked = options.keys.map((key, index) => ({
    named: existing(caller, key, options),
    after: groupId(at(options.ids, index)),
  }));
  const found = asked.flatMap(({ named, after }): Reply[][] => {
    if (after !== undefined) return [[named.key, history(caller, named, after, options)]];
    const last = named.stream.entries.at(-1);
    const hasNew = last !== undefined && compareIds(last.id, named.group.lastId) > 0;
    if (hasNew || caller.server.isModern) readingConsumer(caller, named, options);
    return hasNew ? [[named.key, deliver(caller, named, options)]] : [];
  });
  return found.length > 0 ? served(found, caller) : waitOrNull(options, caller, options.ids);
}

function existing(caller: Caller, key: string, { group }: ReadOptions): NamedGroup {
  const name = group?.name ?? "";
  const named = groupOf(caller, key, name);
  if (named !== undefined) return named;
  if (!caller.server.isModern && caller.server.blocked.isResuming(caller.session)) {
    fail("NOGROUP the consumer group this client was blocked on no longer exists");
  }
  return fail(
    `NOGROUP No such key '${cString(key)}' or consumer group '${cString(name)}' in XREADGROUP with GROUP option`,
  );
}

/** The ID after which one's pending entries are asked for; undefined for `>`. */
function groupId(text: string): StreamId | undefined {
  if (text === ">") return undefined;
  if (text === "$" || text === "+") {
    fail(
      `ERR The ${text} ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The ${text} ID would just return an empty result set.`,
    );
  }
  const id = strictId(text);
  return compareIds(id, LAST_ID) === 0 ? undefined : id;
}

function readingConsumer(caller: Caller, named: NamedGroup, options: ReadOptions): Consumer {
  return seenConsumer(caller, named, options.group?.consumer ?? "", options.acknowledged);
}

/** The consumer's pending entries after an ID, again; an entry that was deleted meanwhile has no fields. */
function history(caller: Caller, named: NamedGroup, after: StreamId, options: ReadOptions): Reply {
  const consumer = readingConsumer(caller, named, options);
  const pending = consumer.pending.from(nextId(after) ?? LAST_ID).slice(0, options.count);
  return pending.map((each): Reply => {
    const entry = named.stream.get(each.id);
    if (entry === undefined) return [formatId(each.id), NULL_ARRAY];
    each.deliveredAtMs = caller.server.nowMs;
    each.deliveries += 1n;
    return entryReply(entry);
  });
}

/** Gives the consumer the entries that the group was not given yet. */
function deliver(caller: Caller, named: NamedGroup, options: ReadOptions): Reply {
  const { stream, group } = named;
  const { server } = caller;
  const consumer = readingConsumer(caller, named, options);
  const first = stream.indexOf(nextId(group.lastId) ?? LAST_ID);
  const entries = stream.entries.slice(first, first + Math.min(options.count, stream.entries.length));
  for (const { id } of entries) {
    advance(stream, group, id, server.isModern);
    if (options.acknowledged) continue;
    const pending = group.assign(id, consumer, server.nowMs, 1n);
    consumer.activeAtMs = server.nowMs;
    propagateEntry(caller, named, pending);
  }
  if (server.isModern || options.acknowledged) propagateProgress(caller, named);
  server.dirty += 1;
  return entries.map(entryReply);
}
