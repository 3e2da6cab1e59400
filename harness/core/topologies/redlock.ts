import { defineTopology } from "./topology.ts";

/** Five independent Redis masters, `node-0` to `node-4`. */
export const redlock = defineTopology({
  kind: "redlock",
  summary: "five independent Redis masters; the client that has a majority of them holds the lock",
  server: "redis",
  dataNodes: 5,
  sentinels: 0,
  arrangement: "independent",
  backends: ["simulated", "live", "containers"],
  lockLine: "the five nodes",
  workload: { ttlsMs: [300, 500, 800, 1200], tries: 1, limitMs: 30_000, longestFaultMs: 4000 },
  serversAt: ({ data }) => ({ kind: "redlock", nodes: data }),
});
