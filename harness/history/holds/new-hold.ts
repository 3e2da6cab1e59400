import { shareOf } from "../../core/sharing.ts";
import type { Hold } from "../holds.ts";
import { answeredWithin, BESIDE_OTHERS } from "../unordered.ts";
import { NANOSECONDS_PER_MS } from "../history.ts";
import { statedOwner } from "../owner-value.ts";
import { countedFrom, leaseOf, longestTtlMs } from "./lease.ts";
import type { GrantEvents } from "../operations.ts";

/** The hold that begins with this grant. Its lease is what the grant promises, until an operation asks for another. */
export function newHold({ invocation, completion }: GrantEvents): Hold {
  const { owner, fence, place, validForMs } = completion.value;
  const lease = leaseOf({ invocation, completion });
  return {
    key: completion.key,
    owner,
    stated: statedOwner(completion),
    process: completion.process,
    currentProcess: completion.process,
    fence,
    share: shareOf(invocation.value),
    wasReader: false,
    shareAsStated: undefined,
    place,
    besideOthers: BESIDE_OTHERS in completion,
    grantedWithin: answeredWithin(completion),
    invokedIndex: invocation.index,
    invokedTime: invocation.time,
    grantedIndex: completion.index,
    grantedTime: completion.time,
    validityReported: validForMs !== undefined,
    vague: validForMs === undefined && invocation.value.waitMs !== 0,
    mayHaveWaited: invocation.value.waitMs !== 0,
    countedFrom: countedFrom({ invocation, completion }),
    clockSlack: (longestTtlMs(invocation) - invocation.value.ttlMs) * NANOSECONDS_PER_MS,
    grantedLeaseBegin: lease.beginTime,
    grantedLeaseEnd: lease.end,
    leaseEnd: lease.end,
    leaseCut: undefined,
    leaseAsked: lease.asked,
    leaseEndAtMost: lease.endAtMost,
    promised: undefined,
    lastSignIndex: completion.index,
    lastSignTime: completion.time,
    lateWrite: undefined,
    hasTwoModes: false,
    mayBeRenamed: false,
    depth: 1,
    possibleEntries: 0,
    unknownEntries: 0,
    innerRelease: undefined,
    forgotten: false,
    askedSince: undefined,
    doubtedSign: undefined,
    maybeReplacedBy: undefined,
    maybeOfTwo: false,
    sharedWith: undefined,
    doubtful: false,
    changedIndex: -1,
    resumedIndex: -1,
    renewedSince: undefined,
    end: undefined,
  };
}
