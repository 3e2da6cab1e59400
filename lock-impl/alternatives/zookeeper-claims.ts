import type { Claim, Limit } from "../claims.ts";

const topology = "zookeeper";

const CLIENT = ["kill-client", "pause-client"];
const LINK = ["partition", "latency", "stall", "reset"];
const FROZEN = ["pause-node"];
/** The server dies and comes back with its disk. Each transaction is in its log before it is acknowledged. */
const CRASH = ["kill-node", "restart-node"];
const CLOCK = ["clock-jump"];
const KEPT = [...CLIENT, ...LINK, ...FROZEN, ...CRASH, ...CLOCK];

const session =
  "the server keeps a session for its time-out after it last heard of it, by a clock that nobody sets, and after a restart from the beginning; the client counts from before it sent what was answered (ZooKeeper Programmer's Guide, Sessions)";
const zxid =
  "the zxid orders all transactions, and the queue is in the order of its transactions (ZooKeeper Programmer's Guide, Time in ZooKeeper; Kleppmann 2016)";
const told = "told a tenth of the time-out before the server can end the session";
const synced = "with forceSync each transaction is on disk before it is acknowledged";

/** What a lock of ephemeral sequential znodes promises on a ZooKeeper server that keeps its data. */
export const zookeeperClaims: readonly Claim[] = [
  ...["lease-exclusion", "linearizability"].flatMap((property) => kept(property, KEPT, session)),
  ...kept("fencing-tokens", KEPT, zxid),
  ...kept("mutual-exclusion", ["kill-client", ...LINK, ...FROZEN, ...CRASH, ...CLOCK], told),
  {
    property: "owner-release",
    topology,
    under: [...KEPT, "power-loss", "disk-loss"],
    because: "each acquisition has a znode of its own, and deletes no other",
  },
  {
    property: "deadlock-freedom",
    topology,
    under: [...KEPT, "power-loss", "disk-loss"],
    because: "an ephemeral znode goes with its session (ZooKeeper Programmer's Guide, Ephemeral Nodes)",
  },
  {
    property: "stale-writes",
    topology,
    under: [...KEPT, "power-loss", "disk-loss"],
    because: "the resource itself refuses lower tokens and equal ones of another owner, whatever the lock does",
  },
];

/** How it is lost all the same. */
export const zookeeperLimits: readonly Limit[] = [
  {
    property: "mutual-exclusion",
    topology,
    under: "pause-client",
    cause: "overrun",
    source: "pause-past-lease; Kleppmann 2016",
  },
  {
    property: "lease-exclusion",
    topology,
    under: "disk-loss",
    cause: "lost-in-restart",
    source: "a server that stands alone has the only copy",
  },
  {
    property: "fencing-tokens",
    topology,
    under: "disk-loss",
    cause: "token-rollback",
    source: "without its log a server counts transactions from the beginning",
  },
];

function kept(property: string, under: readonly string[], because: string): readonly Claim[] {
  return [
    { property, topology, under, because },
    { property, topology, under: [...under, "power-loss"], persistence: ["always"], because: `${because}; ${synced}` },
  ];
}
