import { MasterInstance, PeerSentinel, ReplicaInstance } from "./instance.ts";
import { addressText, sameAddress } from "./node-address.ts";
import type { Sentinel } from "./sentinel.ts";
import type { MonitoredMaster, SentinelOptions } from "./sentinel-options.ts";
import type { Timing } from "./timing.ts";

/** The masters in a configuration, with the known replicas and other Sentinels of each. */
export function loadMasters(
  options: SentinelOptions,
  { nowMs, timing }: { readonly nowMs: number; readonly timing: Timing },
): Map<string, MasterInstance> {
  return new Map(
    options.masters.map((monitored) => {
      const master = new MasterInstance(monitored.name, monitored.address, {
        quorum: monitored.quorum,
        downAfterMs: monitored.downAfterMs ?? timing.downAfterMs,
        failoverTimeoutMs: monitored.failoverTimeoutMs ?? timing.failoverTimeoutMs,
        nowMs,
      });
      master.parallelSyncs = monitored.parallelSyncs ?? 1;
      master.rebootDownAfterMs = monitored.rebootDownAfterMs ?? 0;
      master.configEpoch = monitored.configEpoch ?? 0;
      // For whom the vote of that epoch was is not kept: after a restart it is given to nobody else either.
      master.leaderEpoch = monitored.leaderEpoch ?? 0;
      for (const address of monitored.knownReplicas ?? []) {
        master.replicas.set(addressText(address), new ReplicaInstance(master, address, nowMs));
      }
      for (const { id, address } of monitored.knownSentinels ?? []) {
        master.sentinels.set(id, new PeerSentinel(master, id, address, nowMs));
      }
      return [master.name, master];
    }),
  );
}

/** The configuration that a Sentinel writes. `read` is the one it was started with. */
export function configurationOf(sentinel: Sentinel, read: SentinelOptions): SentinelOptions {
  return {
    ...read,
    currentEpoch: sentinel.currentEpoch,
    masters: [...sentinel.masters.values()].map(monitoredMaster),
  };
}

function monitoredMaster(master: MasterInstance): MonitoredMaster {
  const current = master.currentAddress;
  return {
    name: master.name,
    address: current,
    quorum: master.quorum,
    downAfterMs: master.downAfterMs,
    failoverTimeoutMs: master.failoverTimeoutMs,
    parallelSyncs: master.parallelSyncs,
    rebootDownAfterMs: master.rebootDownAfterMs,
    configEpoch: master.configEpoch,
    leaderEpoch: master.leaderEpoch,
    // While a promoted replica is already named as the master, the old master takes its place among the replicas.
    knownReplicas: [...master.replicas.values()].map(({ address }) =>
      sameAddress(address, current) ? master.address : address,
    ),
    knownSentinels: [...master.sentinels.values()].map(({ name, address }) => ({ id: name, address })),
  };
}
