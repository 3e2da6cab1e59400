import { announce, announcePlain } from "../events.ts";
import type { MasterInstance, ReplicaInstance } from "../instance.ts";
import { reconfigureReplicas } from "./reconfigure-replicas.ts";
import { sendReplicaOf } from "./replica-of.ts";
import { selectReplica } from "./replica-selection.ts";
import type { Sentinel } from "../sentinel.ts";
import { electedLeader, isSameId, MAX_DESYNCHRONIZATION_MS } from "./votes.ts";

/** Begins a failover of a master that is objectively down, unless there was one recently. True when it has begun. */
export function startFailoverIfNeeded(sentinel: Sentinel, master: MasterInstance): boolean {
  if (!master.isObjectivelyDown || master.isFailingOver) return false;
  if (sentinel.nowMs - master.failoverStartMs < master.failoverTimeoutMs * 2) return false;
  startFailover(sentinel, master);
  return true;
}

/** Begins a failover: this Sentinel stands for election in a new epoch. */
export function startFailover(sentinel: Sentinel, master: MasterInstance): void {
  sentinel.currentEpoch += 1;
  master.failoverEpoch = sentinel.currentEpoch;
  master.isFailingOver = true;
  enter(sentinel, master, "wait_start");
  announcePlain(sentinel, "+new-epoch", String(sentinel.currentEpoch));
  announce(sentinel, "+try-failover", master);
  master.failoverStartMs = sentinel.nowMs + sentinel.environment.randomBelow(MAX_DESYNCHRONIZATION_MS);
}

/** Does what the current state of a failover allows: one step at a time. */
export function runFailover(sentinel: Sentinel, master: MasterInstance): void {
  if (!master.isFailingOver) return;
  switch (master.failoverState) {
    case "wait_start":
      awaitElection(sentinel, master);
      break;
    case "select_slave":
      select(sentinel, master);
      break;
    case "send_slaveof_noone":
      promote(sentinel, master, master.promoted);
      break;
    case "wait_promotion":
      // The replica's INFO shows that it was promoted.
      abortAfterTimeout(sentinel, master);
      break;
    case "reconf_slaves":
      reconfigureReplicas(sentinel, master);
      break;
    case "update_config":
    case "none":
      break;
  }
}

/** Moves a failover on. */
export function enter(sentinel: Sentinel, master: MasterInstance, state: MasterInstance["failoverState"]): void {
  master.failoverState = state;
  master.failoverStateSinceMs = sentinel.nowMs;
}

function awaitElection(sentinel: Sentinel, master: MasterInstance): void {
  const leader = electedLeader(sentinel, master, master.failoverEpoch);
  const isLeader = leader !== undefined && isSameId(leader, sentinel.id);
  if (!isLeader && !master.isForced) {
    const limitMs = Math.min(sentinel.timing.electionMs, master.failoverTimeoutMs);
    if (sentinel.nowMs - master.failoverStartMs > limitMs) abort(sentinel, master, "-failover-abort-not-elected");
    return;
  }
  announce(sentinel, "+elected-leader", master);
  if (sentinel.crashAfter.has("election")) sentinel.environment.crash();
  enter(sentinel, master, "select_slave");
  announce(sentinel, "+failover-state-select-slave", master);
}

function select(sentinel: Sentinel, master: MasterInstance): void {
  const replica = selectReplica(sentinel, master);
  if (replica === undefined) {
    abort(sentinel, master, "-failover-abort-no-good-slave");
    return;
  }
  announce(sentinel, "+selected-slave", replica);
  replica.isPromoted = true;
  master.promoted = replica;
  enter(sentinel, master, "send_slaveof_noone");
  announce(sentinel, "+failover-state-send-slaveof-noone", replica);
}

function promote(sentinel: Sentinel, master: MasterInstance, promoted: ReplicaInstance | undefined): void {
  if (promoted === undefined || promoted.link.isDisconnected) {
    abortAfterTimeout(sentinel, master);
    return;
  }
  if (!sendReplicaOf(promoted, undefined)) return;
  announce(sentinel, "+failover-state-wait-promotion", promoted);
  enter(sentinel, master, "wait_promotion");
}

function abortAfterTimeout(sentinel: Sentinel, master: MasterInstance): void {
  if (sentinel.nowMs - master.failoverStateSinceMs > master.failoverTimeoutMs) {
    abort(sentinel, master, "-failover-abort-slave-timeout");
  }
}

function abort(sentinel: Sentinel, master: MasterInstance, channel: string): void {
  announce(sentinel, channel, master);
  master.isFailingOver = false;
  master.isForced = false;
  enter(sentinel, master, "none");
  if (master.promoted !== undefined) master.promoted.isPromoted = false;
  master.promoted = undefined;
}
