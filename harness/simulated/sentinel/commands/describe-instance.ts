import { MapReply } from "../../redis/protocol/reply.ts";
import type { Instance, MasterInstance, PeerSentinel, ReplicaInstance } from "../instance.ts";

type Fields = readonly (readonly [name: string, value: string | number])[];

/** The description of one instance in `SENTINEL MASTER` and similar commands. */
export function describeInstance(instance: Instance, nowMs: number): MapReply {
  const { link, name, address } = instance;
  const isFailingOver = instance.kind === "master" && instance.isFailingOver;
  const fields: Fields = [
    ["name", name],
    ["ip", address.host],
    ["port", address.port],
    ["runid", instance.runId ?? ""],
    ["flags", flagsOf(instance)],
    ["link-pending-commands", link.pendingCommands],
    ["link-refcount", 1],
    ...(isFailingOver ? [["failover-state", instance.failoverState] as const] : []),
    ["last-ping-sent", link.pingDueSinceMs === 0 ? 0 : nowMs - link.pingDueSinceMs],
    ["last-ok-ping-reply", nowMs - link.availableAtMs],
    ["last-ping-reply", nowMs - link.pongAtMs],
    ...(instance.isDown ? [["s-down-time", nowMs - instance.downSinceMs] as const] : []),
    ...(instance.kind === "master" && instance.isObjectivelyDown
      ? [["o-down-time", nowMs - instance.objectivelyDownSinceMs] as const]
      : []),
    ["down-after-milliseconds", instance.downAfterMs],
    ...(instance.kind === "sentinel" ? sentinelFields(instance, nowMs) : dataFields(instance, nowMs)),
  ];
  return new MapReply(fields.flatMap(([field, value]) => [field, String(value)]));
}

function flagsOf(instance: Instance): string {
  const isMaster = instance.kind === "master";
  const isReplica = instance.kind === "slave";
  const flags: readonly (readonly [boolean, string])[] = [
    [instance.isDown, "s_down"],
    [isMaster && instance.isObjectivelyDown, "o_down"],
    [true, instance.kind],
    [instance.link.isDisconnected, "disconnected"],
    [instance.kind === "sentinel" && instance.saysMasterDown, "master_down"],
    [isMaster && instance.isFailingOver, "failover_in_progress"],
    [isReplica && instance.isPromoted, "promoted"],
    [isReplica && instance.reconfiguration === "sent", "reconf_sent"],
    [isReplica && instance.reconfiguration === "inprog", "reconf_inprog"],
    [isReplica && instance.isReconfigured, "reconf_done"],
    [isMaster && instance.isForced, "force_failover"],
    [instance.scriptKillSent, "script_kill_sent"],
    [isMaster && instance.isRebooting, "master_reboot"],
  ];
  return flags
    .filter(([isSet]) => isSet)
    .map(([, flag]) => flag)
    .join(",");
}

function dataFields(instance: MasterInstance | ReplicaInstance, nowMs: number): Fields {
  return [
    ["info-refresh", instance.infoAtMs === 0 ? 0 : nowMs - instance.infoAtMs],
    ["role-reported", instance.reportedRole],
    ["role-reported-time", nowMs - instance.reportedRoleSinceMs],
    ...(instance.kind === "master" ? masterFields(instance) : replicaFields(instance)),
  ];
}

function masterFields(master: MasterInstance): Fields {
  return [
    ["config-epoch", master.configEpoch],
    ["num-slaves", master.replicas.size],
    ["num-other-sentinels", master.sentinels.size],
    ["quorum", master.quorum],
    ["failover-timeout", master.failoverTimeoutMs],
    ["parallel-syncs", master.parallelSyncs],
  ];
}

function replicaFields(replica: ReplicaInstance): Fields {
  return [
    ["master-link-down-time", replica.masterLinkDownMs],
    ["master-link-status", replica.isMasterLinkUp ? "ok" : "err"],
    ["master-host", replica.reportedMaster.host ?? "?"],
    ["master-port", replica.reportedMaster.port],
    ["slave-priority", replica.priority],
    ["slave-repl-offset", replica.offset],
    ["replica-announced", replica.isAnnounced ? 1 : 0],
  ];
}

function sentinelFields(peer: PeerSentinel, nowMs: number): Fields {
  return [
    ["last-hello-message", nowMs - peer.helloReceivedAtMs],
    ["voted-leader", peer.leader ?? "?"],
    ["voted-leader-epoch", peer.leaderEpoch],
  ];
}
