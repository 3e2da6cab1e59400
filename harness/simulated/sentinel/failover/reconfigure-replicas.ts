import { announce } from "../events.ts";
import type { MasterInstance, ReplicaInstance } from "../instance.ts";
import { sendReplicaOf } from "./replica-of.ts";
import type { Sentinel } from "../sentinel.ts";

/** Points the other replicas to the promoted one, a few at a time, and checks whether that is done. */
export function reconfigureReplicas(sentinel: Sentinel, master: MasterInstance): void {
  const { promoted } = master;
  if (promoted === undefined) return;
  const isUnderWay = ({ reconfiguration }: ReplicaInstance): boolean => reconfiguration !== "none";
  let underWay = [...master.replicas.values()].filter(isUnderWay).length;
  for (const replica of master.replicas.values()) {
    if (underWay >= master.parallelSyncs) break;
    if (replica.isPromoted || replica.isReconfigured) continue;
    giveUpLate(sentinel, replica);
    // A replica that was given up is sent the command once more.
    if (isUnderWay(replica) || replica.link.isDisconnected) continue;
    if (!sendReplicaOf(replica, promoted.address)) continue;
    replica.reconfiguration = "sent";
    replica.reconfigurationSentAtMs = sentinel.nowMs;
    announce(sentinel, "+slave-reconf-sent", replica);
    underWay += 1;
  }
  detectEnd(sentinel, master, promoted);
}

function giveUpLate(sentinel: Sentinel, replica: ReplicaInstance): void {
  if (replica.reconfiguration !== "sent") return;
  if (sentinel.nowMs - replica.reconfigurationSentAtMs <= sentinel.timing.replicaReconfigurationMs) return;
  announce(sentinel, "-slave-reconf-sent-timeout", replica);
  replica.reconfiguration = "none";
  replica.isReconfigured = true;
}

/** The failover is over when all reachable replicas follow the new master, or after failover-timeout. */
function detectEnd(sentinel: Sentinel, master: MasterInstance, promoted: ReplicaInstance): void {
  if (promoted.isDown) return;
  const isOpen = (replica: ReplicaInstance): boolean =>
    !replica.isPromoted && !replica.isReconfigured && !replica.isDown;
  const isLate = sentinel.nowMs - master.failoverStateSinceMs > master.failoverTimeoutMs;
  if (isLate) announce(sentinel, "+failover-end-for-timeout", master);
  if (isLate || ![...master.replicas.values()].some(isOpen)) {
    announce(sentinel, "+failover-end", master);
    master.failoverState = "update_config";
    master.failoverStateSinceMs = sentinel.nowMs;
  }
  if (isLate) pointTheRest(sentinel, master, promoted);
}

/** A last attempt, without waiting for its outcome. */
function pointTheRest(sentinel: Sentinel, master: MasterInstance, promoted: ReplicaInstance): void {
  for (const replica of master.replicas.values()) {
    const { isPromoted, isReconfigured, reconfiguration, link } = replica;
    if (isPromoted || isReconfigured || reconfiguration === "sent" || link.isDisconnected) continue;
    if (!sendReplicaOf(replica, promoted.address)) continue;
    announce(sentinel, "+slave-reconf-sent-be", replica);
    replica.reconfiguration = "sent";
  }
}
