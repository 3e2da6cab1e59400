import type { Connection } from "./connection.ts";
import type { Completion } from "../../harness/core/lock-driver.ts";
import type { AcquireRequest, Protocol } from "./protocol.ts";

export interface Replication {
  /** How many replicas must have the write. */
  readonly replicas: number;
  /** How long WAIT waits for them; less than the connection's time-out for one command. */
  readonly withinMs: number;
}

/**
 * A protocol whose grants and extensions count only when enough replicas acknowledged them (WAIT). It narrows the
 * window in which a failover forgets a grant and does not close it: the promoted replica need not be one of those that
 * acknowledged (redis.io, WAIT).
 */
export function withReplicas(
  protocol: Protocol & Required<Pick<Protocol, "extend">>,
  replication: Replication,
): Protocol & Required<Pick<Protocol, "extend">> {
  return {
    release: (server, request) => protocol.release(server, request),
    async acquire(server, request) {
      const session = server.session;
      const answer = await protocol.acquire(server, request);
      if (answer.type !== "ok" || !answer.value.granted) return answer;
      const acknowledged = await acknowledge(server, session, replication);
      return acknowledged.type === "ok" ? answer : takeBack(protocol, server, request, acknowledged);
    },
    async extend(server, request) {
      const session = server.session;
      const extending = await protocol.extend(server, request);
      if (extending.type !== "ok" || !extending.value) return extending;
      const acknowledged = await acknowledge(server, session, replication);
      // The master has extended it, the replicas perhaps not: the holder may count on the old lease only.
      return acknowledged.type === "ok" ? extending : { type: "info", reason: acknowledged.reason };
    },
  };
}

/**
 * WAIT covers the writes of its own connection: on another one it would acknowledge writes that were never sent there.
 */
async function acknowledge(
  server: Connection,
  session: number,
  { replicas, withinMs }: Replication,
): Promise<Completion<true>> {
  if (server.session !== session) return { type: "info", reason: "the connection was made again before WAIT" };
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
  request: AcquireRequest,
  shortfall: Exclude<Completion<true>, { type: "ok" }>,
): Promise<Completion<never>> {
  const freed = await protocol.release(server, request);
  if (freed.type === "ok") return { type: "fail", kind: "error", reason: shortfall.reason };
  return { type: "info", reason: shortfall.reason };
}
