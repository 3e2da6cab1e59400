import type { MasterInstance, ReplicaInstance } from "../instance.ts";
import type { Sentinel } from "../sentinel.ts";

/** A replica must have answered a PING within this number of PING periods. */
const FRESH_PINGS = 5;
/** Its INFO must be younger than this number of INFO periods while the master is up. */
const FRESH_INFOS = 3;
/** It may have lost the master for this many times down-after longer than the master is down. */
const LINK_DOWN_FACTOR = 10;

/** The replica to promote: the best of those that are up, fresh and were connected; undefined when there is none. */
export function selectReplica(sentinel: Sentinel, master: MasterInstance): ReplicaInstance | undefined {
  const { nowMs, timing } = sentinel;
  const maxLinkDownMs = master.downAfterMs * LINK_DOWN_FACTOR + (master.isDown ? nowMs - master.downSinceMs : 0);
  // When a master is down, its replicas are asked for INFO each second.
  const maxInfoAgeMs = master.isDown ? timing.pingMs * FRESH_PINGS : timing.infoMs * FRESH_INFOS;
  const [best] = [...master.replicas.values()]
    .filter(
      (replica) =>
        !replica.isDown &&
        !replica.link.isDisconnected &&
        nowMs - replica.link.availableAtMs <= timing.pingMs * FRESH_PINGS &&
        replica.priority !== 0 &&
        nowMs - replica.infoAtMs <= maxInfoAgeMs &&
        replica.masterLinkDownMs <= maxLinkDownMs,
    )
    .sort(compareForPromotion);
  return best;
}

/** The lower priority first, then the larger replication offset, then the smaller run id. */
function compareForPromotion(a: ReplicaInstance, b: ReplicaInstance): number {
  return a.priority - b.priority || b.offset - a.offset || compareRunIds(a.runId, b.runId);
}

function compareRunIds(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [lowerA, lowerB] = [a.toLowerCase(), b.toLowerCase()];
  return lowerA < lowerB ? -1 : Number(lowerA > lowerB);
}
