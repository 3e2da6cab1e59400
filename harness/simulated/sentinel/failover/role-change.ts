import { announce } from "../events.ts";
import { enter } from "./failover.ts";
import { hastenHellos } from "../monitoring/hello.ts";
import type { MasterInstance, ReplicaInstance } from "../instance.ts";
import type { NodeAddress } from "../node-address.ts";
import { sendReplicaOf } from "./replica-of.ts";
import type { Sentinel } from "../sentinel.ts";

/** A replica that calls itself a master is given this many hello periods for a newer configuration to arrive. */
const PUBLISH_PERIODS_TO_WAIT = 4;
/** INFO of a sane master is younger than this number of INFO periods. */
const FRESH_INFOS = 2;

/**
 * Acts on the role that a node has just reported: notices changes, and corrects a role that differs from the
 * configuration.
 */
export function followRole(
  sentinel: Sentinel,
  instance: MasterInstance | ReplicaInstance,
  role: "master" | "slave",
): void {
  if (role !== instance.reportedRole) {
    instance.reportedRole = role;
    instance.reportedRoleSinceMs = sentinel.nowMs;
    if (role === "slave") instance.masterChangedAtMs = sentinel.nowMs;
    const channel = instance.kind === role ? "+role-change" : "-role-change";
    announce(sentinel, channel, instance, ` new reported role is ${role}`);
  }
  // A master that calls itself a replica is called down after a while.
  if (sentinel.isTilting || instance.kind === "master") return;
  if (role === "master") followPromotion(sentinel, instance);
  else {
    correctMaster(sentinel, instance);
    followReconfiguration(sentinel, instance);
  }
}

/** A replica calls itself a master: it was promoted as planned, or it is made a replica again. */
function followPromotion(sentinel: Sentinel, replica: ReplicaInstance): void {
  const { master } = replica;
  if (replica.isPromoted && master.isFailingOver && master.failoverState === "wait_promotion") {
    // With the epoch in which the election was won, the others accept this configuration.
    master.configEpoch = master.failoverEpoch;
    enter(sentinel, master, "reconf_slaves");
    sentinel.save();
    announce(sentinel, "+promoted-slave", replica);
    if (sentinel.crashAfter.has("promotion")) sentinel.environment.crash();
    announce(sentinel, "+failover-state-reconf-slaves", master);
    hastenHellos(sentinel, master);
    return;
  }
  const waitMs = sentinel.timing.publishMs * PUBLISH_PERIODS_TO_WAIT;
  if (
    !replica.isPromoted &&
    looksSane(sentinel, master) &&
    wasUpFor(sentinel, replica, waitMs) &&
    sentinel.nowMs - replica.reportedRoleSinceMs > waitMs &&
    sendReplicaOf(replica, master.address)
  ) {
    announce(sentinel, "+convert-to-slave", replica);
  }
}

/** A replica follows another master than it should. */
function correctMaster(sentinel: Sentinel, replica: ReplicaInstance): void {
  const { master } = replica;
  if (follows(replica, master.address)) return;
  const waitMs = master.failoverTimeoutMs;
  if (
    looksSane(sentinel, master) &&
    wasUpFor(sentinel, replica, waitMs) &&
    sentinel.nowMs - replica.masterChangedAtMs > waitMs &&
    sendReplicaOf(replica, master.address)
  ) {
    announce(sentinel, "+fix-slave-config", replica);
  }
}

/** For a replica that was pointed to the promoted one: does it follow it, and is it synchronized? */
function followReconfiguration(sentinel: Sentinel, replica: ReplicaInstance): void {
  const { promoted } = replica.master;
  if (promoted === undefined) return;
  if (replica.reconfiguration === "sent" && follows(replica, promoted.address)) {
    replica.reconfiguration = "inprog";
    announce(sentinel, "+slave-reconf-inprog", replica);
  }
  if (replica.reconfiguration === "inprog" && replica.isMasterLinkUp) {
    replica.reconfiguration = "none";
    replica.isReconfigured = true;
    announce(sentinel, "+slave-reconf-done", replica);
  }
}

function follows({ reportedMaster }: ReplicaInstance, address: NodeAddress): boolean {
  return reportedMaster.port === address.port && reportedMaster.host?.toLowerCase() === address.host.toLowerCase();
}

/** A master that is up, reports this role, and was heard from recently: others may be pointed to it. */
function looksSane({ nowMs, timing }: Sentinel, master: MasterInstance): boolean {
  return (
    master.reportedRole === "master" &&
    !master.isDown &&
    !master.isObjectivelyDown &&
    nowMs - master.infoAtMs < timing.infoMs * FRESH_INFOS
  );
}

/** True when it was last called down longer ago than that, or never. */
function wasUpFor({ nowMs }: Sentinel, { downSinceMs }: ReplicaInstance, ms: number): boolean {
  return downSinceMs === 0 || nowMs - downSinceMs > ms;
}
