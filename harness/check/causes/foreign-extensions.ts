import type { Hypothesis } from "../../core/verdict.ts";
import { heldAlone, type Hold } from "../../history/holds.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { answerInWords, eventsInWords, eventsOf, type Interference, isOverBefore } from "../evidence/interferences.ts";
import { ownerAsStated, shortOwner } from "../../history/owner-value.ts";
import type { Overlap } from "../evidence/overlaps.ts";
import { clientInWords } from "../words.ts";
import { byElimination } from "./by-elimination.ts";
import { extendedInTime } from "./overpromised.ts";
import { isPromotion, twoMasters } from "./two-masters.ts";

/** Extensions by a holder to which the lock reported success when its lease was over, or may have been. */
interface ForeignExtensions {
  /** Those that it asked for when its lease was over on the server too: the key may have been another client's by then. */
  readonly late: readonly Hypothesis[];
  /** Those that may have reached the lock in time: a server's lease lasts longer than what a slow grant says is left of it. */
  readonly delayed: readonly Hypothesis[];
}

/**
 * The extensions from which a hold has a lease that it may not be owed: before them its lease was over, so they may have
 * prolonged what another client had been granted, or was about to be. A run in which nobody else has the key decides: a lock
 * that compares the owner value extends there too, if the lease lasted after all.
 *
 * @param until index of the event that showed that the hold was not what its extension promised
 */
export function foreignExtensions(
  hold: Hold,
  until: number,
  evidence: SharedEvidence,
  interferences: readonly Interference[],
): ForeignExtensions {
  const own = interferences.filter(
    (other) =>
      other.f === "extend" &&
      other.certain &&
      other.ownGrantedIndex === hold.grantedIndex &&
      other.completedIndex < until &&
      endOf(other) <= other.completedTime,
  );
  const { header } = evidence;
  // A single client has nobody's lock to prolong. With a second master it may have prolonged its own on the old one.
  if (header.clients === 1 || isSplit(hold, own[0], evidence)) return { late: [], delayed: [] };
  const accuse = (was: string, { process, invokedIndex, completedIndex }: Interference): Hypothesis => ({
    cause: "foreign-release",
    events: [invokedIndex, completedIndex],
    why: `${clientInWords(header, process)} extended a lease that ${was} over (events ${invokedIndex} and ${completedIndex}), and was told that it has it: the lock did not compare the owner value, or did not compare it in the same step as the extension`,
    ground: { on: "operation", invoked: invokedIndex },
    remedies: [],
  });
  const isLate = (other: Interference): boolean =>
    Math.max(endOf(other), other.ownLeaseEndAtMost ?? -Infinity) <= other.invokedTime;
  return {
    late: own.filter(isLate).map((other) => accuse("was", other)),
    delayed: own.filter((other) => !isLate(other)).map((other) => accuse("may have been", other)),
  };
}

/**
 * The overlap of leases began with an extension of a lease that the lock had already granted to somebody else. One that may have been
 * carried out in time may have prolonged the owner's own lease, of which the answer came late: a run in which nobody else has
 * the key decides.
 */
export function takenByExtension(overlap: Overlap, evidence: SharedEvidence): readonly Hypothesis[] {
  const { first, extended, index, from } = overlap;
  if (extended === undefined) return [];
  const { header, faults } = evidence;
  // With a second master there are two locks: the extension may have prolonged the owner's own lock on the old master.
  if (faults.faults.some(({ event }) => isPromotion(event) && event.time >= first.invokedTime)) return [];
  if (twoMasters(first.invokedTime, from, evidence) !== undefined) return [];
  const client = clientInWords(header, extended.process);
  const rule = "the lock did not compare the owner value, or did not compare it in the same step as the extension";
  const asked = extendedInTime(overlap);
  if (asked === undefined) {
    // The history shows what the holder was told, and not whether a server changed anything.
    const orElse = ", or it reports success although it extended nothing";
    const why = `${client} extended a lease that was no longer its own (event ${index}): ${rule}`;
    return [{ ...byElimination("foreign-release", why, evidence), events: [index], orElse }];
  }
  return [
    {
      cause: "foreign-release",
      events: [asked.invokedIndex, index],
      why: `${client} extended a lease that may have been no longer its own (events ${asked.invokedIndex} and ${index}): ${rule}`,
      ground: { on: "operation", invoked: asked.invokedIndex },
      remedies: [],
    },
  ];
}

/** Extensions by other owners that may have ended a hold. */
interface OverwritingExtensions {
  /** Those that reported success. */
  readonly answered: readonly Hypothesis[];
  /** Those whose outcome nobody knows. */
  readonly unanswered: readonly Hypothesis[];
}

/**
 * The extensions by other owners that may have ended a hold: their own lease was over, or may have been, so they may have
 * overwritten the key, or set the end of a lease that was not theirs.
 *
 * @param until index of the event that showed that the hold was over
 */
export function overwritingExtensions(
  hold: Hold,
  until: number,
  evidence: SharedEvidence,
  interferences: readonly Interference[],
): OverwritingExtensions {
  const found = interferences.filter(
    (other) =>
      other.f === "extend" &&
      other.owner !== hold.owner &&
      other.invokedIndex < until &&
      !isOverBefore(other, hold) &&
      (other.ownGrantedIndex ?? -Infinity) < hold.grantedIndex &&
      endOf(other) <= (other.certain ? other.completedTime : Infinity),
  );
  // Beside other holders it prolongs its own share; with a second master, its own lock.
  if (!heldAlone(hold) || isSplit(hold, found[0], evidence)) {
    return { answered: [], unanswered: [] };
  }
  const accuse = (extension: Interference): Hypothesis => {
    const { process, invokedIndex } = extension;
    return {
      cause: "foreign-release",
      events: eventsOf(extension),
      why: `an extension by ${clientInWords(evidence.header, process)}, with owner ${shortOwner(ownerAsStated(extension), undefined, [ownerAsStated(hold)])} (${eventsInWords(extension)}), which ${answerInWords(extension)}, changed the lease of another: the lock did not compare the owner value, or did not compare it in the same step as the extension`,
      ground: { on: "operation", invoked: invokedIndex },
      remedies: [],
    };
  };
  const latestFirst = found.toReversed();
  return {
    answered: latestFirst.filter(({ certain }) => certain).map(accuse),
    unanswered: latestFirst.filter(({ certain }) => !certain).map(accuse),
  };
}

/** Whether there may have been a second master, with a lock of its own, since a hold was asked for. */
function isSplit(hold: Hold, extension: Interference | undefined, evidence: SharedEvidence): boolean {
  if (extension === undefined) return false;
  const isPromoted = evidence.faults.faults.some(({ event }) => isPromotion(event) && event.time >= hold.invokedTime);
  return isPromoted || twoMasters(hold.invokedTime, extension.completedTime, evidence) !== undefined;
}

/** The latest end of the lease that was to be extended; never, where none is known. */
function endOf({ ownLeaseEnd = Infinity, ownLeaseEndAtMost = -Infinity, ownIsVague }: Interference): number {
  return ownIsVague === true ? Math.max(ownLeaseEnd, ownLeaseEndAtMost) : ownLeaseEnd;
}
