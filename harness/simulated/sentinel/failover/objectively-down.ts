import { announce } from "../events.ts";
import type { MasterInstance, PeerSentinel } from "../instance.ts";
import type { ReceivedReply } from "../reply-parser.ts";
import type { Sentinel } from "../sentinel.ts";

/** The answer of another Sentinel is discarded after this number of asking periods. */
const STALE_AFTER_PERIODS = 5;

/** Judges whether enough Sentinels call a master down, this one included. */
export function checkObjectivelyDown(sentinel: Sentinel, master: MasterInstance): void {
  const agreeing = 1 + [...master.sentinels.values()].filter((peer) => peer.saysMasterDown).length;
  const isDown = master.isDown && agreeing >= master.quorum;
  if (isDown === master.isObjectivelyDown) return;
  announce(sentinel, isDown ? "+odown" : "-odown", master, isDown ? ` #quorum ${agreeing}/${master.quorum}` : "");
  master.isObjectivelyDown = isDown;
  if (isDown) master.objectivelyDownSinceMs = sentinel.nowMs;
}

/**
 * Asks the other Sentinels whether the master is down, and during a failover for their votes.
 * @param atOnce ask even those that have answered just now
 */
export function askOtherSentinels(sentinel: Sentinel, master: MasterInstance, { atOnce }: { atOnce: boolean }): void {
  const { nowMs, timing } = sentinel;
  for (const peer of master.sentinels.values()) {
    const agoMs = nowMs - peer.masterDownReplyAtMs;
    if (agoMs > timing.askMs * STALE_AFTER_PERIODS) {
      peer.saysMasterDown = false;
      peer.leader = undefined;
    }
    if (!master.isDown || peer.link.isDisconnected || (!atOnce && agoMs < timing.askMs)) continue;
    const { host, port } = master.address;
    const candidate = master.failoverState === "none" ? "*" : sentinel.id;
    peer.link.request(
      ["SENTINEL", "is-master-down-by-addr", host, String(port), String(sentinel.currentEpoch), candidate],
      (reply) => receiveOpinion(sentinel, peer, reply),
    );
  }
}

function receiveOpinion(sentinel: Sentinel, peer: PeerSentinel, reply: ReceivedReply): void {
  if (reply.type !== "array" || reply.items.length !== 3) return;
  const [isDown, leader, epoch] = reply.items;
  if (isDown?.type !== "integer" || leader?.type !== "bulk" || epoch?.type !== "integer") return;
  peer.masterDownReplyAtMs = sentinel.nowMs;
  peer.saysMasterDown = isDown.value === 1;
  if (leader.text === "*") return;
  peer.leader = leader.text;
  peer.leaderEpoch = epoch.value;
}
