import { defineTopology, onlyNode } from "./topology.ts";

/** One Redis master, `node-0`. */
export const single = defineTopology({
  kind: "single",
  summary: "one Redis server without replicas",
  server: "redis",
  dataNodes: 1,
  sentinels: 0,
  arrangement: "one-server",
  backends: ["simulated", "live", "containers"],
  lockLine: "node-0",
  workload: { ttlsMs: [300, 500, 800, 1200], tries: 1, limitMs: 30_000, longestFaultMs: 4000 },
  serversAt: (reach) => ({ kind: "single", address: onlyNode(reach) }),
});
