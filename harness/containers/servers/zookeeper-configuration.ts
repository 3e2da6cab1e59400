import type { TopologySpec } from "../../core/topology.ts";

export const ZOOKEEPER_PORT = 2181;

/** The zoo.cfg of a standalone server. */
export function zookeeperConfiguration({ persistence, config }: TopologySpec): string {
  const directives: Readonly<Record<string, string>> = {
    clientPort: String(ZOOKEEPER_PORT),
    dataDir: "/data",
    // Sessions end at multiples of it: for the server a lease is longer by at most this much.
    tickTime: "100",
    // The defaults are 2 and 20 ticks. Plans need sessions as short and as long as their leases.
    minSessionTimeout: "200",
    maxSessionTimeout: "3600000",
    maxClientCnxns: "0",
    // Each transaction is written before it is acknowledged, and synced too, or never: there is no mode in between.
    forceSync: persistence === "always" ? "yes" : "no",
    // Kilobytes. By default 64 MB are written before the first transaction.
    preAllocSize: "64",
    "admin.enableServer": "false",
    // The harness's questions: is it well, what does it serve, how is it set up, who is connected.
    "4lw.commands.whitelist": "ruok,srvr,conf,cons",
    ...config,
  };
  return `${Object.entries(directives)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")}\n`;
}
