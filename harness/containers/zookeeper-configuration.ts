import type { TopologySpec } from "../core/topology.ts";

export const ZOOKEEPER_PORT = 2181;

/** The zoo.cfg of a server that stands alone. */
export function zookeeperConfiguration({ persistence, config }: TopologySpec): string {
  const directives: Readonly<Record<string, string>> = {
    clientPort: String(ZOOKEEPER_PORT),
    dataDir: "/data",
    // Sessions end at multiples of it: a lease is that much longer for the server, at the most.
    tickTime: "100",
    // By default 2 and 20 ticks. Sessions as short as leases are in plans, and as long.
    minSessionTimeout: "200",
    maxSessionTimeout: "3600000",
    maxClientCnxns: "0",
    // Each transaction is written before it is acknowledged; synced too, or never: there is nothing in between.
    forceSync: persistence === "always" ? "yes" : "no",
    // Kilobytes. By default 64 MB are written before the first transaction.
    preAllocSize: "64",
    "admin.enableServer": "false",
    // What the harness asks: is it well, what does it serve, how is it set up, who is connected.
    "4lw.commands.whitelist": "ruok,srvr,conf,cons",
    ...config,
  };
  return `${Object.entries(directives)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")}\n`;
}
