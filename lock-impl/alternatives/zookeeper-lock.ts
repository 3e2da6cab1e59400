import type { LockEntry } from "../lock-entry.ts";
import { zookeeperClaims, zookeeperLimits } from "./zookeeper-claims.ts";

/** The lock of ZooKeeper's documentation. */
export const zookeeperLock: LockEntry = {
  name: "zookeeper",
  title: "ephemeral znodes queue on a ZooKeeper server, in a session for each TTL; the zxid is the fencing token",
  topologies: ["zookeeper"],
  load: async () => (await import("./zookeeper.ts")).driver,
  flawed: false,
  mintsFence: true,
  renews: true,
  claims: zookeeperClaims,
  limits: zookeeperLimits,
  lesson: {
    shows: { property: "mutual-exclusion", topology: "zookeeper", under: "pause-client" },
    how: "Nobody can tell a client that does not run. The resource can refuse what it writes when it wakes up: the zxid of a later hold is larger.",
  },
};
