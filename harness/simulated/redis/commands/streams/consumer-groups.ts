import { at, fail, integerArgument, writeAs, syntaxError } from "../../arguments.ts";
import { command, container, ONE_KEY, SECOND_KEY, type Caller, type Command } from "../../command.ts";
import { cString } from "../../execute.ts";
import { ConsumerGroup } from "../../keyspace/consumer-group.ts";
import { Stream } from "../../keyspace/stream.ts";
import { compareIds, FIRST_ID, type StreamId } from "../../keyspace/stream-id.ts";
import { NO_SUCH_KEY, OK, type Reply } from "../../protocol/reply.ts";
import { createConsumer } from "./group-effects.ts";
import { idArgument, strictId } from "./stream-ids.ts";
import { wrongSubcommand } from "./stream-info.ts";

const NO_STREAM =
  "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.";

/** XGROUP, and XSETID. */
export const groupCommands: readonly Command[] = [
  container("xgroup", "", [
    command("create", -5, "write denyoom", SECOND_KEY, create),
    command("setid", -5, "write", SECOND_KEY, setId),
    command("destroy", 4, "write", SECOND_KEY, destroy),
    command("createconsumer", 5, "write denyoom", SECOND_KEY, addConsumer),
    command("delconsumer", 5, "write", SECOND_KEY, deleteConsumer),
  ]),
  command("xsetid", -3, "write denyoom fast", ONE_KEY, setStreamId),
];

interface GroupOptions {
  readonly makesStream: boolean;
  readonly entriesRead: bigint | undefined;
}

function parseOptions(argv: readonly string[], mayMakeStream: boolean): GroupOptions {
  let makesStream = false;
  let entriesRead: bigint | undefined;
  for (let index = 5; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    if (mayMakeStream && option === "mkstream") makesStream = true;
    else if (option === "entriesread" && index + 1 < argv.length) {
      const read = BigInt(integerArgument(at(argv, (index += 1))));
      if (read < -1n) fail("ERR value for ENTRIESREAD must be positive or -1");
      entriesRead = read === -1n ? undefined : read;
    } else wrongSubcommand(argv);
  }
  return { makesStream, entriesRead };
}

function streamToChange(argv: readonly string[], caller: Caller): Stream {
  return writeAs(caller, at(argv, 2), "stream")?.stream ?? fail(NO_STREAM);
}

function groupToChange(argv: readonly string[], caller: Caller): ConsumerGroup {
  const name = at(argv, 3);
  const group = streamToChange(argv, caller).groups.get(name);
  return group ?? fail(`NOGROUP No such consumer group '${cString(name)}' for key name '${cString(at(argv, 2))}'`);
}

function create(argv: readonly string[], caller: Caller): Reply {
  const { db, server } = caller;
  const [key, name, from] = [at(argv, 2), at(argv, 3), at(argv, 4)];
  const { makesStream, entriesRead } = parseOptions(argv, true);
  const known = writeAs(caller, key, "stream")?.stream;
  if (known === undefined && !makesStream) fail(NO_STREAM);
  if (argv.length > 8) wrongSubcommand(argv);
  const lastId = from === "$" ? (known?.lastId ?? FIRST_ID) : strictId(from);
  const stream = known ?? new Stream();
  if (known === undefined) {
    db.add(key, { type: "stream", stream });
    db.touched(key);
  }
  if (stream.groups.has(name)) fail("BUSYGROUP Consumer Group name already exists");
  stream.groups.set(name, new ConsumerGroup(lastId, entriesRead));
  server.dirty += 1;
  db.notify("t", "xgroup-create", key);
  return OK;
}

function setId(argv: readonly string[], caller: Caller): Reply {
  const { entriesRead } = parseOptions(argv, false);
  const group = groupToChange(argv, caller);
  if (argv.length !== 5 && argv.length !== 7) wrongSubcommand(argv);
  const from = at(argv, 4);
  group.lastId = from === "$" ? streamToChange(argv, caller).lastId : idArgument(from, 0n);
  group.entriesRead = entriesRead;
  caller.server.dirty += 1;
  caller.db.notify("t", "xgroup-setid", at(argv, 2));
  return OK;
}

function destroy(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 2);
  if (!streamToChange(argv, caller).groups.delete(at(argv, 3))) return 0;
  caller.server.dirty += 1;
  caller.db.notify("t", "xgroup-destroy", key);
  // Who waits for entries of the group is told that it is gone.
  caller.server.blocked.signal(caller.db, key);
  return 1;
}

function addConsumer(argv: readonly string[], caller: Caller): Reply {
  const group = groupToChange(argv, caller);
  if (group.consumers.has(at(argv, 4))) return 0;
  createConsumer(caller, at(argv, 2), group, at(argv, 4));
  return 1;
}

function deleteConsumer(argv: readonly string[], caller: Caller): Reply {
  const group = groupToChange(argv, caller);
  const consumer = group.consumers.get(at(argv, 4));
  if (consumer === undefined) return 0;
  const pending = consumer.pending.size;
  group.deleteConsumer(consumer);
  caller.server.dirty += 1;
  caller.db.notify("t", "xgroup-delconsumer", at(argv, 2));
  return pending;
}

interface StreamState {
  entriesAdded?: bigint;
  maxDeletedId: StreamId;
}

function parseState(argv: readonly string[], id: StreamId): StreamState {
  const state: StreamState = { maxDeletedId: FIRST_ID };
  for (let index = 3; index < argv.length; index += 2) {
    const option = at(argv, index).toLowerCase();
    const text = at(argv, index + 1);
    if (option === "entriesadded") {
      state.entriesAdded = BigInt(integerArgument(text));
      if (state.entriesAdded < 0n) fail("ERR entries_added must be positive");
    } else if (option === "maxdeletedid") {
      state.maxDeletedId = strictId(text);
      if (compareIds(id, state.maxDeletedId) < 0) {
        fail("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id");
      }
    } else throw syntaxError;
  }
  return state;
}

/** XSETID: the stream's own counters. */
function setStreamId(argv: readonly string[], caller: Caller): Reply {
  const id = strictId(at(argv, 2));
  const { entriesAdded, maxDeletedId } = parseState(argv, id);
  const key = at(argv, 1);
  const stream = writeAs(caller, key, "stream")?.stream;
  if (stream === undefined) return NO_SUCH_KEY;
  if (caller.server.isModern && compareIds(id, stream.maxDeletedId) < 0) {
    fail("ERR The ID specified in XSETID is smaller than current max_deleted_entry_id");
  }
  const last = stream.entries.at(-1);
  if (last !== undefined) {
    if (compareIds(id, last.id) < 0) {
      fail("ERR The ID specified in XSETID is smaller than the target stream top item");
    }
    if (entriesAdded !== undefined && entriesAdded < stream.entries.length) {
      fail("ERR The entries_added specified in XSETID is smaller than the target stream length");
    }
  }
  stream.lastId = id;
  stream.entriesAdded = entriesAdded ?? stream.entriesAdded;
  if (compareIds(maxDeletedId, FIRST_ID) !== 0) stream.maxDeletedId = maxDeletedId;
  caller.server.dirty += 1;
  caller.db.notify("t", "xsetid", key);
  return OK;
}
