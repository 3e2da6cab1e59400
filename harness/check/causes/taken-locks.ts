import { knownTopology } from "../../core/topologies/registry.ts";
import { exceeds } from "../../core/sharing.ts";
import type { Hypothesis } from "../../core/verdict.ts";
import type { Hold } from "../../history/holds.ts";
import { ownerAsStated, shortOwner } from "../../history/owner-value.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { answerInWords, eventsInWords, eventsOf, type Interference, isOverBefore } from "../evidence/interferences.ts";
import { clientInWords } from "../words.ts";
import { twoMasters } from "./two-masters.ts";

/** The releases of a kind that may have ended the first hold of a pair, each as a hypothesis, the last one first. */
type Taken = (pair: Pair, evidence: SharedEvidence, interferences: readonly Interference[]) => readonly Hypothesis[];

/** Another owner's releases that reported success in the first hold, and cannot have found a lock of their own. */
export const takenCertainly = takenWhere(
  (first, other, evidence) =>
    isReportedWithin(first, other, evidence) &&
    !mayHaveFoundItsOwn(first, other, evidence) &&
    !mayHaveBeenGrantedLate(first, other),
);

/**
 * Another owner's releases, or a late one of the same owner value, of unknown outcome: they may have taken effect, and cannot have
 * found a lock that was granted in the first hold.
 */
export const takenPossibly = takenWhere(
  (first, other, evidence) => !isReportedWithin(first, other, evidence) && !mayHaveBeenGrantedLate(first, other),
);

/**
 * Another owner's releases that reported success in the first hold, and may have found a lock of their own: the lock had been
 * granted to both.
 */
export const takenOrOwn = takenWhere(
  (first, other, evidence) => isReportedWithin(first, other, evidence) && mayHaveFoundItsOwn(first, other, evidence),
);

/**
 * Another owner's releases in the first hold, after their own lease by what the lock said, though perhaps not on the server: it
 * was granted in the first hold, and may have begun long after it was asked for. Then the first hold was lost before.
 */
export const takenByLateGrant = takenWhere((first, other) => mayHaveBeenGrantedLate(first, other), {
  isPerhapsRightful: true,
});

function takenWhere(
  matches: (first: Hold, interference: Interference, evidence: SharedEvidence) => boolean,
  doubt: { readonly isPerhapsRightful?: true } = {},
): Taken {
  return (pair, evidence, interferences) =>
    taken(
      pair,
      evidence,
      interferences.filter((other) => matches(pair.first, other, evidence)),
      doubt,
    );
}

function taken(
  { first, second }: Pair,
  evidence: SharedEvidence,
  interferences: readonly Interference[],
  doubt: { readonly isPerhapsRightful?: true },
): readonly Hypothesis[] {
  const { header } = evidence;
  const isIndependent = knownTopology(header["topology"])?.arrangement === "independent";
  const found = interferences.filter(
    (other) => tookFrom(first, second, other, evidence) && !(isIndependent && heldOnOthers(other)),
  );
  return found.toReversed().map((interference) => {
    const own = interference.owner === first.owner;
    const isAgain = interference.isAgain || interference.ownReleasedIndex !== undefined;
    const release = isAgain ? "second release" : "release";
    const what = interference.f === "release" ? release : "extension";
    const whose = own
      ? isByAnother(first, interference, evidence)
        ? "which uses the same owner value"
        : "meant for an earlier hold with the same owner value"
      : `with owner ${shortOwner(ownerAsStated(interference), undefined, [ownerAsStated(first)])}`;
    const rule = own ? "each acquire needs a new owner value" : releaseRule(first, interference, evidence);
    return {
      cause: "foreign-release",
      events: eventsOf(interference),
      why: `a ${what} by ${clientInWords(header, interference.process)}, ${whose} (${eventsInWords(interference)}), which ${answerInWords(interference)}, took the lock from its holder: ${rule}`,
      ground: { on: "operation", invoked: interference.invokedIndex, ...doubt },
      remedies: [],
    };
  });
}

/**
 * What a release must do, so that it takes nothing from others. One that took a later hold of its own client may have compared an
 * owner value that is one for the whole client, whatever its driver calls the two holds.
 */
function releaseRule(hold: Hold, interference: Interference, evidence: SharedEvidence): string {
  const { share } = hold;
  if (share.kind === "exclusive") {
    const value = mayBeByItsClient(hold, interference, evidence)
      ? "an owner value that is new for every acquire,"
      : "the owner value";
    return `a release must compare ${value} and delete the key in one step`;
  }
  const [what, others] = share.kind === "counted" ? ["permit", "permits"] : ["hold", "holds"];
  return `a release must find the ${what} of its own owner value and end it in one step, and leave the ${others} of others`;
}

/** A hold that was over early, and who found that it was. */
interface Pair {
  readonly first: Hold;
  readonly second: Successor;
}

/** The client that found that the first hold was over: the next to be granted the lock, or the holder itself. */
interface Successor {
  readonly grantedIndex: number;
  readonly grantedTime: number;
  readonly owner: string | undefined;
  /** When a client asked that was granted the lock. */
  readonly invokedIndex?: number;
  /** Who held permits of the semaphore besides. */
  readonly beside?: readonly Hold[] | undefined;
}

/**
 * Whether `interference` may have ended the first hold before the second was granted. An operation that ended while its
 * own lease was still in force found its own owner value, and took nothing.
 */
function tookFrom(first: Hold, second: Successor, interference: Interference, evidence: SharedEvidence): boolean {
  if (interference.f === "extend" || interference.invokedIndex > second.grantedIndex) return false;
  if (interference.owner === second.owner && mayBeOfSecond(second, interference)) return false;
  if (interference.owner === first.owner && isReportedWithin(first, interference, evidence))
    return !foundItsOwn(first, interference);
  if (interference.owner === first.owner)
    return (
      !interference.certain &&
      interference.completedIndex < first.grantedIndex &&
      !isOverBefore(interference, first) &&
      // It was recorded with another value than the hold: the lock would have to take one for the other.
      !evidence.repeated.hasSeveral(first.key, first.owner)
    );
  if (isOverBefore(interference, first) || !mayComeLate(first, second, interference, evidence)) return false;
  if (foundItsOwn(first, interference)) return false;
  if (heldBeside(first, second, interference)) return false;
  const over = interference.certain ? interference.completedTime : second.grantedTime;
  if (isReportedWithin(first, interference, evidence) || gaveUpBefore(first, interference)) return true;
  return (interference.ownLeaseEnd ?? -Infinity) < over;
}

/** Whether its owner had asked to release all of its own before the first hold was asked for: it has nothing of its own beside that. */
function gaveUpBefore({ invokedIndex }: Hold, { ownReleasedIndex = Infinity }: Interference): boolean {
  return ownReleasedIndex < invokedIndex;
}

/**
 * Whether its request may have reached the lock in the first hold. One that ended without a known outcome before the hold was even
 * asked for came late only if something kept it back: a history whose faults are all known, or one that names a fault since then.
 */
function mayComeLate(
  { invokedIndex }: Hold,
  { grantedTime }: Successor,
  { certain, completedIndex, invokedTime }: Interference,
  { header, faults }: SharedEvidence,
): boolean {
  if (certain || completedIndex > invokedIndex || header["backend"] !== undefined) return true;
  return faults.during(() => true, invokedTime, grantedTime).length > 0;
}

/** Whether it may have given up what the second client had been granted, or the second client had a hold before that. */
function mayBeOfSecond({ invokedIndex = -Infinity }: Successor, { certain, completedIndex }: Interference): boolean {
  return !certain || invokedIndex < completedIndex;
}

/** Whether it gave up, within its lease, what it had been granted in the first hold: that hold was lost before. */
function foundItsOwn(
  first: Hold,
  { ownGrantedIndex = -Infinity, ownLeaseEnd = -Infinity, invokedTime }: Interference,
): boolean {
  return ownGrantedIndex > first.grantedIndex && ownLeaseEnd >= invokedTime;
}

/**
 * Whether it may have given up, within its lease, what its owner had been granted as well: the two acquires ran at the same
 * time, so the one that was answered first may have been granted the lock last; or a coarse clock leaves open when its owner was granted
 * the lock; or there may have been two masters, each with a lock of its own.
 */
function mayHaveFoundItsOwn(
  { invokedIndex, invokedTime, grantedIndex }: Hold,
  { ownGrantedIndex = -Infinity, ownLeaseEnd = -Infinity, ...release }: Interference,
  evidence: SharedEvidence,
): boolean {
  const { unplaced } = release;
  if (ownGrantedIndex > grantedIndex || (unplaced?.leaseEndAtMost ?? ownLeaseEnd) < release.invokedTime) return false;
  if (ownGrantedIndex > invokedIndex || (unplaced !== undefined && unplaced.time >= invokedTime)) return true;
  return twoMasters(invokedTime, release.invokedTime, evidence) !== undefined;
}

/** Whether it gave up, within its lease, what its owner held on some of several masters: the first hold had others. */
function heldOnOthers({ certain, ownLeaseEnd = -Infinity, invokedTime }: Interference): boolean {
  return certain && ownLeaseEnd >= invokedTime;
}

/** Whether it may have given up, within its lease on the server, what its owner had been granted in the first hold. */
function mayHaveBeenGrantedLate(
  { grantedIndex }: Hold,
  { ownGrantedIndex = -Infinity, ownLeaseEnd = -Infinity, ownLeaseEndAtMost = ownLeaseEnd, invokedTime }: Interference,
): boolean {
  return ownGrantedIndex > grantedIndex && ownLeaseEnd < invokedTime && ownLeaseEndAtMost >= invokedTime;
}

/**
 * Whether its owner may have held beside the first hold, and gave up what was its own. A permit of a semaphore can stay
 * after its lease: others are granted until somebody takes it away. A release that reported success may have found it; of one
 * that says nothing, nobody knows whose permit it gave back.
 */
function heldBeside(first: Hold, second: Successor, interference: Interference): boolean {
  const { share } = first;
  const { certain, ownGrantedIndex, ownLeaseEnd = -Infinity, invokedTime } = interference;
  if (certain && share.kind === "counted" && ownGrantedIndex !== undefined)
    return !filledSince(interference, [first, ...(second.beside ?? [])]);
  return share.kind !== "exclusive" && ownLeaseEnd >= invokedTime;
}

/**
 * Whether these had all permits at the release, after the end of its owner's lease, and were given them after its owner had been
 * granted its own: none was left of that.
 */
function filledSince(release: Interference, holds: readonly Hold[]): boolean {
  const { ownLeaseEnd = Infinity, ownLeaseEndAtMost = ownLeaseEnd, invokedTime, invokedIndex } = release;
  if (ownLeaseEndAtMost >= invokedTime) return false;
  const later = holds
    .filter((hold) => hold.grantedIndex < invokedIndex && isGrantedAfter(hold, release))
    .map(({ share }) => share);
  const own = later.find((share) => share.kind === "counted");
  return own !== undefined && exceeds([...later, { ...own, permits: 1 }]);
}

/** Whether a hold was asked for, or its lease began, only after the owner of a release had been granted its own. */
function isGrantedAfter(
  { invokedIndex, grantedLeaseBegin }: Hold,
  { ownGrantedIndex = Infinity, ownGrantedTime = Infinity }: Interference,
): boolean {
  return invokedIndex > ownGrantedIndex || grantedLeaseBegin > ownGrantedTime;
}

/** Whether it was reported as done, was invoked in the first hold, and is another's. */
function isReportedWithin(first: Hold, interference: Interference, evidence: SharedEvidence): boolean {
  if (!interference.certain || interference.invokedIndex <= first.grantedIndex) return false;
  return interference.owner !== first.owner || isByAnother(first, interference, evidence);
}

/** Whether certainly another client than the holder made it. */
function isByAnother(hold: Hold, interference: Interference, evidence: SharedEvidence): boolean {
  return !mayBeByItsClient(hold, interference, evidence);
}

/** Whether the holder's own client may have made it. */
function mayBeByItsClient({ currentProcess }: Hold, { process }: Interference, { holds }: SharedEvidence): boolean {
  return holds.sameClient(currentProcess, process) || holds.sameClient(process, currentProcess);
}
