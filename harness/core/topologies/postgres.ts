import { defineTopology, onlyNode } from "./topology.ts";

/** One PostgreSQL server, `node-0`. It ends a session, and what the session holds, with its connection. */
export const postgres = defineTopology({
  kind: "postgres",
  summary: "one PostgreSQL server; the locks are in its tables",
  server: "postgres",
  dataNodes: 1,
  sentinels: 0,
  arrangement: "one-server",
  backends: ["containers"],
  holdsEndWithConnection: true,
  lockLine: "node-0",
  workload: { ttlsMs: [500, 800, 1200], tries: 1, limitMs: 30_000, longestFaultMs: 4000 },
  serversAt: (reach) => ({ kind: "postgres", address: onlyNode(reach) }),
});
