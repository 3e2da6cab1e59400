import { defineTopology } from "./topology.ts";

/** The name under which the Sentinels watch the master. */
export const MASTER_NAME = "lockstorm";

/**
 * A Redis master `node-0`, replicas `node-1` and `node-2`, Sentinels `sentinel-0` to `sentinel-2`.
 *
 * A failover takes one to two seconds, and the Sentinels take ten to reconfigure the old master. TTLs are longer than
 * that: a lease that ends earlier cannot be lost in a failover. Faults last longer than a failover, and longer than
 * clients need to notice it. A caller tries again while its servers fail over. The longest plans take 36 s (measured).
 */
export const sentinel = defineTopology({
  kind: "sentinel",
  summary: "a Redis master with two replicas, and three Sentinels that promote a replica when the master fails",
  server: "redis",
  dataNodes: 3,
  sentinels: 3,
  arrangement: "replicated",
  backends: ["simulated", "live", "containers"],
  lockLine: "node-0",
  workload: { ttlsMs: [1500, 4000, 10_000], tries: 6, limitMs: 60_000, longestFaultMs: 15_000 },
  serversAt: ({ sentinels, announced }) => ({
    kind: "sentinel",
    masterName: MASTER_NAME,
    sentinels,
    natMap: announced,
  }),
});
