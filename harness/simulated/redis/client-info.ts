import type { Session } from "./session.ts";

export type ClientType = "normal" | "replica" | "pubsub" | "master";

/** The kinds of connections that CLIENT LIST TYPE and CLIENT KILL TYPE distinguish. */
export function typeOf(session: Session): ClientType {
  if (session.role !== "normal") return session.role;
  return session.isSubscriber ? "pubsub" : "normal";
}

/** A connection's line in CLIENT LIST, without its end. Sizes of buffers, which have no meaning here, are 0. */
export function clientInfo(session: Session): string {
  const { server } = session;
  const seconds = (ms: number): number => Math.floor(server.nowMs / 1000) - Math.floor(ms / 1000);
  const fields: [string, string | number][] = [
    ["id", session.id],
    ["addr", session.peer],
    ["laddr", session.local],
    ["fd", session.id + 8],
    ["name", session.name],
    ["age", seconds(session.createdAtMs)],
    ["idle", seconds(session.lastActiveMs)],
    ["flags", flagsOf(session)],
    ["db", session.db.id],
    ["sub", session.channels.size],
    ["psub", session.patterns.size],
    ["ssub", session.shardChannels.size],
    ["multi", session.transaction?.queue.length ?? -1],
  ];
  if (server.isModern) fields.push(["watch", session.watched.count]);
  for (const name of ["qbuf", "qbuf-free", "argv-mem", "multi-mem", "rbs", "rbp", "obl", "oll", "omem", "tot-mem"]) {
    fields.push([name, 0]);
  }
  fields.push(
    ["events", "r"],
    ["cmd", session.lastCommand?.name ?? "NULL"],
    ["user", "default"],
    ["redir", session.tracking?.redirectTo ?? -1],
  );
  fields.push(["resp", session.resp]);
  if (server.isModern) fields.push(["lib-name", session.libraryName], ["lib-ver", session.libraryVersion]);
  if (server.isModern) fields.push(["io-thread", 0]);
  return fields.map(([name, value]) => `${name}=${value}`).join(" ");
}

function flagsOf(session: Session): string {
  const flags = [
    session.role === "replica" ? "S" : "",
    session.role === "master" ? "M" : "",
    session.isSubscriber ? "P" : "",
    session.transaction === undefined ? "" : "x",
    session.isBlocked ? "b" : "",
    session.tracking === undefined ? "" : "t",
    session.tracking?.isRedirectBroken === true ? "R" : "",
    session.tracking?.mode === "bcast" ? "B" : "",
    session.transactionFailed ? "d" : "",
    session.closing ? "c" : "",
    session.noEvict ? "e" : "",
    session.noTouch ? "T" : "",
  ].join("");
  return flags === "" ? "N" : flags;
}
