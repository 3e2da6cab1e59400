import type { Connection } from "./connection.ts";
import type { Completion } from "./driver.ts";
import type { Acquisition, Protocol } from "./protocol.ts";

export interface Replication {
  /** How many replicas must have the write. */
  readonly replicas: number;
  /** How long WAIT waits for them; less than the connection's patience for one command. */
  readonly withinMs: number;
}

/**
 * A protocol whose grants and extensions count only when so many replicas acknowledged them (WAIT). It narrows the
 * window in which a failover forgets a grant and does not close it: the replica that is promoted need not be one of those
 * that acknowledged (redis.io, WAIT).
 */
export function replicated(
  protocol: Protocol & Required<Pick<Protocol, "prolong">>,
  replication: Replication,
): Protocol & Required<Pick<Protocol, "prolong">> {
  return {
    free: (server, acquisition) => protocol.free(server, acquisition),
    async take(server, acquisition) {
      const session = server.session;
      const taking = await protocol.take(server, acquisition);
      if (taking.type !== "ok" || !taking.value.taken) return taking;
      const acknowledged = await acknowledge(server, session, replication);
      return acknowledged.type === "ok" ? taking : takeBack(protocol, server, acquisition, acknowledged);
    },
    async prolong(server, acquisition) {
      const session = server.session;
      const prolonging = await protocol.prolong(server, acquisition);
      if (prolonging.type !== "ok" || !prolonging.value) return prolonging;
      const acknowledged = await acknowledge(server, session, replication);
      // The master has extended it, the replicas perhaps not: the holder may count on the old lease only.
      return acknowledged.type === "ok" ? prolonging : { type: "info", reason: acknowledged.reason };
    },
  };
}

/** WAIT speaks of the writes of its own connection: on another one it would acknowledge what was never sent there. */
async function acknowledge(
  server: Connection,
  session: number,
  { replicas, withinMs }: Replication,
): Promise<Completion<true>> {
  if (server.session !== session) return { type: "info", reason: "the connection was made anew before WAIT" };
  const reply = await server.command("WAIT", replicas, withinMs);
  if (reply.type !== "ok") return reply;
  if (Number(reply.value) >= replicas) return { type: "ok", value: true };
  return {
    type: "fail",
    kind: "error",
    reason: `${Number(reply.value)} of ${replicas} replicas acknowledged the grant`,
  };
}

/** Frees a lock that is held but does not count. If that cannot be done, it may be held for its whole lease. */
async function takeBack(
  protocol: Protocol,
  server: Connection,
  acquisition: Acquisition,
  shortfall: Exclude<Completion<true>, { type: "ok" }>,
): Promise<Completion<never>> {
  const freed = await protocol.free(server, acquisition);
  if (freed.type === "ok") return { type: "fail", kind: "error", reason: shortfall.reason };
  return { type: "info", reason: shortfall.reason };
}
