import type { Hypothesis } from "../../core/verdict.ts";
import { latestEnd } from "../evidence/latest-end.ts";
import type { Overlap } from "../evidence/overlaps.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { HistoryHeader } from "../../history/history.ts";
import type { Hold } from "../../history/holds.ts";
import type { AskedLease } from "../../history/holds/lease.ts";
import { isEndless } from "../../history/holds/endless-lease.ts";
import { namesEveryFault } from "./by-elimination.ts";
import { clientInWords, lasting, timeWords } from "../words.ts";

/**
 * The lock counted a lease from a later instant than its servers. Counted from the request, the lease was over when the
 * overlap began. Empty if the lock promised more than it was asked for (`overpromisedWithoutEnd`, `orOverpromised`).
 */
export function overpromised(overlap: Overlap, evidence: SharedEvidence): readonly Hypothesis[] {
  // A lock that compares owner values alone takes the second client for the first, and grants no new lease.
  const isSameOwner = overlap.first.owner === overlap.second.owner;
  return isPromisedForLonger(overlap.firstLeaseAsked) || isSameOwner ? [] : asAsked(overlap, evidence);
}

/**
 * The lock promised a lease without an end, although one with an end was asked for: by its request, the lease was over when the
 * overlap began. A number without a sign becomes so large when a program subtracts more from it than it is.
 */
export function overpromisedWithoutEnd(overlap: Overlap, evidence: SharedEvidence): readonly Hypothesis[] {
  return isPromisedWithoutEnd(overlap) ? asAsked(overlap, evidence) : [];
}

/**
 * The request for the extension with which the overlap began, if it may have been carried out before the other owner was granted
 * the lock, because it was asked for earlier.
 */
export function extendedInTime({ first, second, extended, ...lease }: Overlap): AskedLease | undefined {
  const { firstLeaseAsked: asked } = lease;
  if (extended !== first || asked === undefined) return undefined;
  return asked.invokedIndex > first.grantedIndex && asked.invokedIndex < second.grantedIndex ? asked : undefined;
}

/** Whether the lock promised more than it was asked for: it may keep the key for as long on its servers, or for less. */
function isPromisedForLonger(asked: AskedLease | undefined): asked is AskedLease {
  return asked !== undefined && asked.promised > asked.end - asked.time;
}

function isPromisedWithoutEnd({ firstLeaseAsked: asked, firstLeaseEnd: end }: Overlap): boolean {
  return asked !== undefined && isEndless(end - asked.time);
}

function asAsked(overlap: Overlap, evidence: SharedEvidence): readonly Hypothesis[] {
  const { header } = evidence;
  const { first, second, from, extended, firstLeaseEnd: end } = overlap;
  const asked = extended === undefined ? overlap.firstLeaseAsked : extendedInTime(overlap);
  const by = extended === undefined ? from : second.grantedTime;
  if (asked === undefined || asked.end > by || end <= from) return [];
  const [client, other] = [clientInWords(header, first.process), clientInWords(header, second.process)];
  return [
    {
      cause: "double-grant",
      events: [asked.invokedIndex],
      shown: `${client} had asked for ${asked.invokedIndex === first.invokedIndex ? "its lease" : "the extension of its lease"} at ${timeWords(asked.time)}, for ${lasting(asked.ttl)}: counted from there it ended ${asked.end === asked.time + asked.ttl ? "at" : "by"} ${timeWords(asked.end)}, before ${other} was granted it, but the lock promised it ${isPromisedWithoutEnd(overlap) ? "without an end" : `until ${timeWords(end)}`}`,
      why: isPromisedWithoutEnd(overlap)
        ? "the lock promised far more than it was asked for, as a program does that subtracts more than there is from a number without a sign"
        : "the lock counted the lease from too late an instant: a server may begin it as soon as it is asked",
      // A lock of several commands may begin the lease long after it is asked: what its servers held tells.
      ...(isPromisedWithoutEnd(overlap)
        ? { ground: { on: "history" } }
        : {
            orElse: ", or it had set the lease so much later, and granted the key twice",
            ground: { on: "rest", faults: [], isWhole: namesEveryFault(evidence) },
          }),
      remedies: [],
    },
  ];
}

/**
 * What a lock could have done instead of granting its lock twice, if it may have waited: no event shows which of its requests
 * was granted. Empty where each lease was in force by its first request, too, when the others were granted at the latest, and for a
 * lease that was over by its answer as well: what it rests on then was promised later. The same if it promised more than it
 * was asked for.
 */
export function orOverpromised(overlap: Overlap, { header }: SharedEvidence): string {
  const { first, second, others = [], from, extended, firstLeaseAsked } = overlap;
  if (extended !== undefined) return "";
  if (isPromisedForLonger(firstLeaseAsked)) return orPromisedForLonger(overlap, firstLeaseAsked, header);
  if (firstLeaseAsked !== undefined) return "";
  const holds = [first, second, ...others];
  const late = holds.filter(
    (hold) =>
      hold.validityReported &&
      holds.some((other) => other !== hold && endByRequest(hold) <= other.grantedTime) &&
      latestEnd(hold, hold.grantedLeaseEnd) > from,
  );
  if (late.length === 0) return "";
  const answers = late.map(
    ({ process, invokedTime, grantedTime, countedFrom }) =>
      `${clientInWords(header, process)} asked at ${timeWords(invokedTime)} and was answered at ${timeWords(grantedTime)}, and its lease counts from ${timeWords(countedFrom)} on`,
  );
  return `, or it counted a lease from a later instant than the server: ${answers.join("; ")}`;
}

function orPromisedForLonger({ first, from }: Overlap, asked: AskedLease, header: HistoryHeader): string {
  if (asked.end > from) return "";
  return `, or it promised a longer lease than it had set: at ${timeWords(asked.time)} ${clientInWords(header, first.process)} had asked for ${lasting(asked.ttl)}, and was promised ${lasting(asked.promised)}`;
}

/**
 * What a lock could have done instead, if the lease that the grant of the first set was over when the second was granted: nothing
 * shows that its servers prolonged it. Empty if the first was not extended, or the lease of its grant may have been in
 * force.
 */
export function orNotProlonged({ first, from }: Overlap): string {
  const end = latestEnd(first, first.grantedLeaseEnd);
  if (end > from) return "";
  return `, or it had not prolonged the lease as it reported: the lease of the grant had ended ${end === first.grantedLeaseEnd ? "at" : "by"} ${timeWords(end)}`;
}

/** When a lease would end that is as long as the lock reported, counted from the request. */
function endByRequest({ invokedTime, countedFrom, grantedLeaseEnd }: Hold): number {
  return invokedTime + (grantedLeaseEnd - countedFrom);
}
