import { InstanceLink } from "./instance-link.ts";
import { addressText, type NodeAddress } from "./node-address.ts";

export type Instance = MasterInstance | ReplicaInstance | PeerSentinel;

/** A server as a Sentinel sees it. Times are the Sentinel's wall clock's milliseconds; 0 is never. */
abstract class MonitoredServer {
  readonly name: string;
  address: NodeAddress;
  /** The role in a node's INFO, or a Sentinel's identity. */
  runId: string | undefined;
  readonly link: InstanceLink;
  downAfterMs: number;
  /** Subjectively down: this Sentinel thinks so. */
  isDown = false;
  downSinceMs = 0;
  helloSentAtMs: number;
  /** SCRIPT KILL was sent since it is down. */
  scriptKillSent = false;

  constructor(name: string, address: NodeAddress, downAfterMs: number, nowMs: number) {
    this.name = name;
    this.address = address;
    this.downAfterMs = downAfterMs;
    this.link = new InstanceLink(nowMs);
    this.helloSentAtMs = nowMs;
  }
}

/** A data node, with the reports of its INFO. */
abstract class DataInstance extends MonitoredServer {
  /** When INFO was last received. */
  infoAtMs = 0;
  info: string | undefined;
  reportedRole: "master" | "slave";
  reportedRoleSinceMs: number;
  /** When the master that it reports to follow changed. */
  masterChangedAtMs: number;
  reportedMaster: { host: string | undefined; port: number } = { host: undefined, port: 0 };
  isMasterLinkUp = false;
  masterLinkDownMs = 0;
  priority = 100;
  offset = 0;
  isAnnounced = true;

  constructor(
    name: string,
    address: NodeAddress,
    start: { readonly downAfterMs: number; readonly nowMs: number; readonly role: "master" | "slave" },
  ) {
    super(name, address, start.downAfterMs, start.nowMs);
    this.reportedRole = start.role;
    this.reportedRoleSinceMs = start.nowMs;
    this.masterChangedAtMs = start.nowMs;
  }
}

export type FailoverState =
  | "none"
  | "wait_start"
  | "select_slave"
  | "send_slaveof_noone"
  | "wait_promotion"
  | "reconf_slaves"
  | "update_config";

/** A watched master, or the replica that is about to take its place. */
export class MasterInstance extends DataInstance {
  readonly kind = "master";
  quorum: number;
  failoverTimeoutMs: number;
  parallelSyncs = 1;
  rebootDownAfterMs = 0;
  /** It was restarted, and is not trusted yet. */
  isRebooting = false;
  rebootingSinceMs = 0;
  readonly replicas = new Map<string, ReplicaInstance>();
  readonly sentinels = new Map<string, PeerSentinel>();
  /** Objectively down: enough Sentinels think so. */
  isObjectivelyDown = false;
  objectivelyDownSinceMs = 0;
  configEpoch = 0;
  /** The Sentinel for which this one has voted, and the epoch. */
  leader: string | undefined;
  leaderEpoch = 0;
  failoverState: FailoverState = "none";
  failoverStateSinceMs = 0;
  failoverEpoch = 0;
  failoverStartMs = 0;
  isFailingOver = false;
  /** A requested failover needs no election. */
  isForced = false;
  promoted: ReplicaInstance | undefined;

  constructor(
    name: string,
    address: NodeAddress,
    settings: {
      readonly quorum: number;
      readonly downAfterMs: number;
      readonly failoverTimeoutMs: number;
      readonly nowMs: number;
    },
  ) {
    super(name, address, { ...settings, role: "master" });
    this.quorum = settings.quorum;
    this.failoverTimeoutMs = settings.failoverTimeoutMs;
  }

  /** The master's current address: that of the promoted replica, once it has confirmed its promotion. */
  get currentAddress(): NodeAddress {
    const isPromotionKnown = this.failoverState === "reconf_slaves" || this.failoverState === "update_config";
    return this.isFailingOver && this.promoted !== undefined && isPromotionKnown ? this.promoted.address : this.address;
  }
}

export class ReplicaInstance extends DataInstance {
  readonly kind = "slave";
  readonly master: MasterInstance;
  isPromoted = false;
  /** Its progress towards the new master: was told, has confirmed. */
  reconfiguration: "none" | "sent" | "inprog" = "none";
  /** It has arrived there, or the wait for it is over. */
  isReconfigured = false;
  reconfigurationSentAtMs = 0;

  constructor(master: MasterInstance, address: NodeAddress, nowMs: number) {
    super(addressText(address), address, { downAfterMs: master.downAfterMs, nowMs, role: "slave" });
    this.master = master;
  }
}

/** Another Sentinel that watches the same master. */
export class PeerSentinel extends MonitoredServer {
  readonly kind = "sentinel";
  readonly master: MasterInstance;
  helloReceivedAtMs: number;
  /** It has said that the master is down. */
  saysMasterDown = false;
  masterDownReplyAtMs: number;
  /** The Sentinel for which it has voted, and the epoch. */
  leader: string | undefined;
  leaderEpoch = 0;

  constructor(master: MasterInstance, id: string, address: NodeAddress, nowMs: number) {
    super(id, address, master.downAfterMs, nowMs);
    this.master = master;
    this.runId = id;
    this.helloReceivedAtMs = nowMs;
    this.masterDownReplyAtMs = nowMs;
  }
}

/** The master that an instance belongs to; a master belongs to itself. */
export function masterOf(instance: Instance): MasterInstance {
  return instance.kind === "master" ? instance : instance.master;
}
