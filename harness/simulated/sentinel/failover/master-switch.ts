import { announce, announcePlain } from "../events.ts";
import { ReplicaInstance, type MasterInstance } from "../instance.ts";
import { addressText, sameAddress, type NodeAddress } from "../node-address.ts";
import type { Sentinel } from "../sentinel.ts";

/** A failover is over: from now on the promoted replica is the master. */
export function switchToPromoted(sentinel: Sentinel, master: MasterInstance): void {
  const next = (master.promoted ?? master).address;
  const { host, port } = master.address;
  announcePlain(sentinel, "+switch-master", `${master.name} ${host} ${port} ${next.host} ${next.port}`);
  switchAddress(sentinel, master, next);
}

/**
 * Watches the master at another address from now on. Its replicas, the old master among them, start over; the other
 * Sentinels stay.
 */
export function switchAddress(sentinel: Sentinel, master: MasterInstance, next: NodeAddress): void {
  const replicas = [...master.replicas.values()]
    .map(({ address }) => address)
    .filter((each) => !sameAddress(each, next));
  if (!sameAddress(master.address, next)) replicas.push(master.address);
  resetMaster(sentinel, master);
  master.address = next;
  master.objectivelyDownSinceMs = 0;
  master.downSinceMs = 0;
  for (const address of replicas) {
    const replica = addReplica(sentinel, master, address);
    if (replica !== undefined) announce(sentinel, "+slave", replica);
  }
  sentinel.save();
}

/** Adds a new replica; undefined when it is already known. */
export function addReplica(
  sentinel: Sentinel,
  master: MasterInstance,
  address: NodeAddress,
): ReplicaInstance | undefined {
  const name = addressText(address);
  if (master.replicas.has(name)) return undefined;
  const replica = new ReplicaInstance(master, address, sentinel.nowMs);
  master.replicas.set(name, replica);
  return replica;
}

/** Forgets the observations of a master and its replicas, and any failover; epochs stay. */
export function resetMaster(sentinel: Sentinel, master: MasterInstance, options: { sentinels?: boolean } = {}): void {
  const { nowMs } = sentinel;
  const forgotten = options.sentinels === true ? [master.replicas, master.sentinels] : [master.replicas];
  for (const instances of forgotten) {
    for (const { link } of instances.values()) link.close();
    instances.clear();
  }
  const { link } = master;
  link.close();
  link.pingDueSinceMs = nowMs;
  link.pingedAtMs = 0;
  link.availableAtMs = nowMs;
  link.pongAtMs = nowMs;
  master.isDown = false;
  master.isObjectivelyDown = false;
  master.scriptKillSent = false;
  master.isRebooting = false;
  master.isFailingOver = false;
  master.isForced = false;
  master.leader = undefined;
  master.failoverState = "none";
  master.failoverStateSinceMs = 0;
  master.failoverStartMs = 0;
  master.promoted = undefined;
  master.runId = undefined;
  master.reportedMaster = { host: undefined, port: master.reportedMaster.port };
  master.reportedRole = "master";
  master.reportedRoleSinceMs = nowMs;
}
