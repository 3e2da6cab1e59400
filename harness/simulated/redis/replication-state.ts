/**
 * What a server knows about its replication. The simulated replication owns this and keeps it up to date; the server
 * only reads it, for INFO, ROLE, WAIT, writes on replicas and min-replicas-to-write.
 */
export class ReplicationState {
  /** The master this server follows; undefined on a master. */
  master: { readonly host: string; readonly port: number } | undefined;
  /** State of the link to the master. */
  link: "connect" | "connecting" | "sync" | "connected" = "connect";
  /** Milliseconds of wall clock at which data last came from the master. */
  lastContactMs = 0;
  /** When the link went down, in milliseconds of wall clock. */
  linkDownSinceMs = 0;
  /** ID of the history this data belongs to, 40 hexadecimal digits. */
  id: string;
  /** The history before the last promotion, up to `secondaryOffset`. */
  secondaryId = "0".repeat(40);
  secondaryOffset = -1;
  /** Bytes of replication stream written (master) or processed (replica) so far. */
  offset = 0;
  readOnlyOffset = 0;
  backlogActive = false;
  backlogSize = 1048576;
  backlogFirstOffset = 0;
  backlogLength = 0;
  failover: "no-failover" | "waiting-for-sync" | "failover-in-progress" = "no-failover";
  /** The attached replicas, in the order in which they came. */
  replicas: readonly ReplicaView[] = [];

  constructor(id: string) {
    this.id = id;
  }

  get isReplica(): boolean {
    return this.master !== undefined;
  }

  /** The result of `goodReplicas` at its last count: the real server counts once a second, not at each write. */
  goodCount: number | undefined;

  /** Replicas that are online and were heard from within `maxLagSeconds`. */
  goodReplicas(nowMs: number, maxLagSeconds: number): number {
    if (this.goodCount !== undefined) return this.goodCount;
    return this.replicas.filter(
      (replica) =>
        replica.state === "online" && Math.floor(nowMs / 1000) - Math.floor(replica.ackAtMs / 1000) <= maxLagSeconds,
    ).length;
  }
}

/** One attached replica, as its master sees it. */
export interface ReplicaView {
  /** The address that it announced, or its connection's. */
  readonly host: string;
  readonly port: number;
  readonly state: "wait_bgsave" | "send_bulk" | "online";
  /** The offset that it acknowledged last, and the one up to which its append-only file is synced. */
  readonly offset: number;
  readonly fileOffset: number;
  /** Wall clock of its last acknowledgement, in milliseconds. */
  readonly ackAtMs: number;
}
