import { defineTopology, onlyNode } from "./topology.ts";

/** One ZooKeeper server, `node-0`. Its sessions are counted in seconds. */
export const zookeeper = defineTopology({
  kind: "zookeeper",
  summary: "one ZooKeeper server; a lock ends with the session of its client",
  server: "zookeeper",
  dataNodes: 1,
  sentinels: 0,
  arrangement: "one-server",
  backends: ["containers"],
  lockLine: "node-0",
  workload: { ttlsMs: [1000, 2000, 4000], tries: 1, limitMs: 30_000, longestFaultMs: 8000 },
  serversAt: (reach) => ({ kind: "zookeeper", address: onlyNode(reach) }),
});
