import { at, countArgument, fail, integerArgument, numberArgument } from "../arguments.ts";
import { command, NO_KEYS, type Caller, type Command } from "../command.ts";
import { add } from "../numbers/integers.ts";
import { OK, ErrorReply, StatusReply, type Reply } from "../protocol/reply.ts";
import type { RedisServer } from "../server.ts";
import type { ServerPlace } from "../world-hooks.ts";

const FOLLOW = "admin noscript stale no_async_loading";

/** Commands on replication, and those that wait for it. */
export const replicationCommands: readonly Command[] = [
  command("role", 1, "noscript loading stale fast", NO_KEYS, role),
  command("replicaof", 3, FOLLOW, NO_KEYS, replicaOf),
  command("slaveof", 3, FOLLOW, NO_KEYS, replicaOf),
];

/** WAIT, which scripts could not call before 7.2, and WAITAOF, which came with it. */
export const waitCommands = {
  old: [command("wait", 3, "noscript", NO_KEYS, wait)],
  modern: [command("wait", 3, "blocking", NO_KEYS, wait), command("waitaof", 4, "blocking", NO_KEYS, waitForFile)],
} satisfies Record<string, readonly Command[]>;

function role(_argv: readonly string[], { server, session }: Caller): Reply {
  const { replication } = server;
  const seen = (place: ServerPlace): ServerPlace => server.hooks.placeFor?.(session.peer, place) ?? place;
  if (replication.master === undefined) {
    const online = replication.replicas.filter((replica) => replica.state === "online");
    return [
      "master",
      replication.offset,
      online.map((replica) => {
        const { host, port } = seen(replica);
        return [host, String(port), String(replica.offset)];
      }),
    ];
  }
  const { host, port } = seen(replication.master);
  const isUp = replication.link === "connected";
  return ["slave", host, port, replication.link, isUp ? replication.offset : -1];
}

function replicaOf(argv: readonly string[], { server, session }: Caller): Reply {
  const host = at(argv, 1);
  const port = at(argv, 2);
  const { replication, hooks } = server;
  if (host.toLowerCase() === "no" && port.toLowerCase() === "one") {
    if (replication.master === undefined) return OK;
    if (hooks.replicaOf === undefined) replication.master = undefined;
    else hooks.replicaOf(undefined);
    return OK;
  }
  if (session.role === "replica") return new ErrorReply("ERR Command is not valid when client is a replica.");
  const number = numberArgument(port, "ERR Invalid master port");
  if (number < 0 || number > 65535) return new ErrorReply("ERR Invalid master port");
  if (replication.master?.host.toLowerCase() === host.toLowerCase() && replication.master.port === number) {
    return new StatusReply("OK Already connected to specified master");
  }
  server.blocked.refuseAll();
  if (hooks.replicaOf === undefined) replication.master = { host, port: number };
  else hooks.replicaOf({ host, port: number });
  return OK;
}

function timeoutArgument(text: string, server: RedisServer): number {
  const ms = integerArgument(text, "ERR timeout is not an integer or out of range");
  if (ms < 0) fail("ERR timeout is negative");
  if (server.isModern && add(ms, server.nowMs) === undefined) fail("ERR timeout is out of range");
  return Number(ms);
}

function wait(argv: readonly string[], caller: Caller): Reply {
  const { server, session } = caller;
  if (server.isReplica) {
    return new ErrorReply(
      "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.",
    );
  }
  const replicas = numberArgument(at(argv, 1));
  const timeoutMs = timeoutArgument(at(argv, 2), server);
  const offset = session.writeOffset;
  const acknowledged = (): number =>
    server.replication.replicas.filter((replica) => replica.state === "online" && replica.offset >= offset).length;
  if (acknowledged() >= replicas || session.denyBlocking || caller.inScript || server.hooks.wait === undefined) {
    return acknowledged();
  }
  const blocked = session.block(acknowledged);
  const resolve = (count: number): void => void session.unblock(blocked, count);
  server.hooks.wait({ session, replicas, timeoutMs, offset, resolve });
  return undefined;
}

function waitForFile(argv: readonly string[], caller: Caller): Reply {
  const { server, session } = caller;
  const local = numberArgument(at(argv, 1));
  if (local < 0 || local > 1) return new ErrorReply("ERR value is out of range, value must between 0 and 1");
  const replicas = countArgument(at(argv, 2));
  const timeoutMs = timeoutArgument(at(argv, 3), server);
  if (server.isReplica) {
    return new ErrorReply(
      "ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are just local and are not propagated.",
    );
  }
  if (local === 1 && !server.config.enabled("appendonly")) {
    return new ErrorReply("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.");
  }
  const offset = session.writeOffset;
  const synced = (): number =>
    server.replication.replicas.filter((replica) => replica.state === "online" && replica.fileOffset >= offset).length;
  const isLocal = (): number => (server.syncedOffset >= offset && server.config.enabled("appendonly") ? 1 : 0);
  if (
    (synced() >= replicas && isLocal() >= local) ||
    session.denyBlocking ||
    caller.inScript ||
    server.hooks.waitForFile === undefined
  ) {
    return [isLocal(), synced()];
  }
  const blocked = session.block(() => [isLocal(), synced()]);
  const resolve = (file: number, count: number): void => void session.unblock(blocked, [file, count]);
  server.hooks.waitForFile({ session, replicas, local, timeoutMs, offset, resolve });
  return undefined;
}
