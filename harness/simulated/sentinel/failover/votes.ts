import { announcePlain } from "../events.ts";
import type { MasterInstance } from "../instance.ts";
import type { Sentinel } from "../sentinel.ts";

/** A Sentinel that has voted for another, or begins a failover, waits up to this much longer before the next. */
export const MAX_DESYNCHRONIZATION_MS = 1000;

export interface Vote {
  /** Identity of the Sentinel voted for. */
  readonly leader: string | undefined;
  readonly epoch: number;
}

/** Votes for `candidate` in an epoch, if it has not voted in that epoch or a later one. Returns its current vote. */
export function vote(sentinel: Sentinel, master: MasterInstance, epoch: number, candidate: string): Vote {
  if (epoch > sentinel.currentEpoch) {
    sentinel.currentEpoch = epoch;
    sentinel.save();
    announcePlain(sentinel, "+new-epoch", String(epoch));
  }
  if (master.leaderEpoch < epoch && sentinel.currentEpoch <= epoch) {
    master.leader = candidate;
    master.leaderEpoch = sentinel.currentEpoch;
    sentinel.save();
    announcePlain(sentinel, "+vote-for-leader", `${candidate} ${master.leaderEpoch}`);
    if (!isSameId(candidate, sentinel.id)) {
      // It gives the elected Sentinel time before it tries itself.
      master.failoverStartMs = sentinel.nowMs + sentinel.environment.randomBelow(MAX_DESYNCHRONIZATION_MS);
    }
  }
  return { leader: master.leader, epoch: master.leaderEpoch };
}

/**
 * The winner of an epoch's election: the Sentinel with the votes of more than half of all Sentinels ever seen, and of
 * the quorum. A Sentinel that has not voted yet votes now, for the candidate with the most votes, or else for itself.
 */
export function electedLeader(sentinel: Sentinel, master: MasterInstance, epoch: number): string | undefined {
  const votes = new Map<string, number>();
  for (const { leader, leaderEpoch } of master.sentinels.values()) {
    if (leader !== undefined && leaderEpoch === sentinel.currentEpoch) votes.set(leader, (votes.get(leader) ?? 0) + 1);
  }
  let winner: string | undefined;
  let most = 0;
  const consider = (candidate: string): void => {
    const count = votes.get(candidate) ?? 0;
    if (count <= most) return;
    most = count;
    winner = candidate;
  };
  for (const candidate of votes.keys()) consider(candidate);
  const own = vote(sentinel, master, epoch, winner ?? sentinel.id);
  if (own.leader !== undefined && own.epoch === epoch) {
    votes.set(own.leader, (votes.get(own.leader) ?? 0) + 1);
    consider(own.leader);
  }
  const majority = Math.floor((master.sentinels.size + 1) / 2) + 1;
  return most >= majority && most >= master.quorum ? winner : undefined;
}

export function isSameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
