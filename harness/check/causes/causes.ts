import { traitsOf } from "../../../faults/traits.ts";
import { isUnknown, keepsSyncedData, type FaultTraits } from "../../core/fault-traits.ts";
import { isUnseen, RECORDING_DELAY_NS } from "../../history/fault-timeline.ts";
import type { FaultEvent } from "../../history/history.ts";
import type { Cause, Ground, Hypothesis, Remedy } from "../../core/verdict.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Hold } from "../../history/holds.ts";
import { isEndless } from "../../history/holds/endless-lease.ts";
import { isCertainlyOver, overruns } from "./overrun-causes.ts";
import type { Overlap } from "../evidence/overlaps.ts";
import { byLoss, setBefore } from "./certain-losses.ts";
import { byAnswer, byRight, type Interference } from "../evidence/interferences.ts";
import { freedByInnerRelease } from "./inner-releases.ts";
import { byElimination, namesEveryFault, takesLeases } from "./by-elimination.ts";
import { foreignExtensions, overwritingExtensions, takenByExtension } from "./foreign-extensions.ts";
import { takenByLateGrant, takenCertainly, takenOrOwn, takenPossibly } from "./taken-locks.ts";
import { isPromotion, twoMasters } from "./two-masters.ts";
import { roundedLease } from "./rounded-leases.ts";
import { twoPlaces } from "./two-places.ts";
import { orNotProlonged, orOverpromised, overpromised, overpromisedWithoutEnd } from "./overpromised.ts";
import { shortOwner } from "../../history/owner-value.ts";
import { listed } from "../../core/listed.ts";
import { endsNoLease, isClockOfPromoted, steppedLease, stepsClocks } from "./stepped-clocks.ts";
import { faultInWords, timeWords } from "../words.ts";

/** How a lease is lost. Among faults that lose it in the same way, the most specific comes first. */
interface LossOfLease {
  readonly cause: Cause;
  readonly by: readonly ((traits: FaultTraits) => boolean)[];
  readonly how: (fault: string, event: FaultEvent) => string;
  /** Whether a server is left that does not know of the lease, and may grant the lock again. */
  readonly forgets?: true;
  /** Whether it only has a lease end at another time than its holder thinks. */
  readonly byClock?: true;
}

/** How leases are lost, the most specific first. */
const LOSSES_OF_LEASES: readonly LossOfLease[] = [
  {
    cause: "lost-in-failover",
    by: [
      ({ loses, promotes }) => loses === "unreplicated" && promotes === "seen",
      ({ loses, promotes }) => loses === "unreplicated" && promotes !== "seen",
    ],
    how: (fault) => `after ${fault} the new master did not have the lock, because replication is asynchronous`,
    forgets: true,
  },
  {
    cause: "lost-in-restart",
    by: [({ loses }) => loses === "disk", ({ loses }) => loses === "unsynced", ({ loses }) => loses === "memory"],
    how: (fault, { value: { targets } }) =>
      `after ${fault} the ${targets.length > 1 ? "nodes" : "node"} came back without the lock`,
    forgets: true,
  },
  {
    cause: "clock-jump",
    by: [stepsClocks],
    how: steppedLease,
    byClock: true,
  },
  {
    cause: "clock-rate",
    by: [({ clock }) => clock === "rate"],
    how: (fault) =>
      `under ${fault} clocks ran at different rates, so the process that measured the lease did not see it end when its holder did`,
    byClock: true,
  },
  {
    cause: "eviction",
    by: [({ loses }) => loses === "keys"],
    how: (fault) => `${fault} removed the lock: the server ran short of memory`,
  },
];

/** The cause that stands for a fault with these traits, if it can take a lease away. */
export function causeOfLoss(traits: FaultTraits): Cause | undefined {
  return LOSSES_OF_LEASES.find(({ by }) => by.some((matches) => matches(traits)))?.cause;
}

/**
 * What may have made two holds overlap, the most likely first. `leasesOverlap` says whether their leases overlap too, that
 * is, whether the lock broke its promise.
 *
 * If the leases do not overlap, the cause is an `overrun`: a client outlived its lease. Otherwise the order is: grants that
 * name two places; an extension of a lease that was already granted to another owner; a release by another owner that
 * reported success during the first hold; faults between the two grants that lose leases, the most specific first; a release
 * by another owner that reported success after the only server had lost the lock; a lease that the lock promised without an
 * end, although one with an end was asked for and was over; a release that may have taken effect; a
 * release by another owner that was granted the lock in the first hold, after the end of its lease by what the lock said; the
 * lock itself; what moved the end of a lease, if the lock promised one without an end; and last a release by another owner to whom
 * the lock had been granted as well.
 * Where a lease may have been over, a release that may have been rightful comes after the overrun, and so does one by an owner
 * that was granted the lock in the first hold, and one that nobody saw carried out.
 *
 * @param interferences the interferences of the key around the time of the overlap
 */
export function hypothesesOf(
  overlap: Overlap,
  leasesOverlap: boolean,
  evidence: SharedEvidence,
  interferences: readonly Interference[],
): readonly Hypothesis[] {
  const { first, second } = overlap;
  const overran = leasesOverlap ? [] : overruns(overlap, evidence);
  if (overran.length > 0 && isCertainlyOver(overlap)) return overran;
  const until = Math.max(overlap.from, second.grantedTime);
  const { grantedIndex, grantedTime, owner, invokedIndex } = second;
  const pair = { first, second: { grantedIndex, grantedTime, owner, invokedIndex, beside: overlap.others } };
  const isCut = overran.some(({ ground }) => ground.on === "operation");
  const [rightful, others] = overran.length > 0 ? byRight(interferences, first) : [[], interferences];
  // A lease that may have been over needs nobody who took it: a release that nobody saw carried out comes after that.
  const [unseen, seen] = overran.length > 0 ? byAnswer(others) : [[], others];
  const extensions = foreignExtensions(first, overlap.index, evidence, leasesOverlap ? interferences : []);
  const overwriting = overwritingExtensions(first, second.grantedIndex, evidence, leasesOverlap ? others : []);
  const byExtension = takenByExtension(overlap, evidence);
  // A permit that is extended may be the extender's own: too many others were granted beside it.
  const isCounted = first.share.kind === "counted";
  const isFresh = isFreshlyGranted(overlap);
  // What came after the server had lost the lock took nothing.
  const [tooLate, inTime] = byLoss(first, evidence, others);
  const [lost, unlikely] = byEnd(overlap, losses(first.invokedTime, until, evidence, true));
  return [
    // If the lock did what its client asked, the client comes first.
    ...(isCut ? overran : []),
    ...inTwoPlaces(overlap, evidence),
    ...(isCounted || isFresh ? [] : byExtension),
    ...extensions.late,
    ...takenCertainly(pair, evidence, inTime),
    ...overwriting.answered,
    ...lost,
    ...takenCertainly(pair, evidence, tooLate),
    ...overwriting.unanswered,
    ...(overran.length > 0 ? [] : overpromisedWithoutEnd(overlap, evidence)),
    ...takenPossibly(pair, evidence, seen),
    ...lossesBefore(first, second, until, evidence),
    ...(isCounted ? byExtension : []),
    ...(isCut ? [] : overran),
    ...takenPossibly(pair, evidence, unseen),
    ...takenCertainly(pair, evidence, rightful),
    ...takenPossibly(pair, evidence, rightful),
    ...takenByLateGrant(pair, evidence, interferences),
    ...(overran.length > 0 ? [] : alone(overlap, until, evidence)),
    ...unlikely,
    ...(isFresh && !isCounted ? byExtension : []),
    ...extensions.delayed,
    ...takenOrOwn(pair, evidence, interferences),
  ];
}

/**
 * What may have made two leases overlap, for a property that finds the overlap in another way. It answers as
 * `lease-exclusion` does, because one overlap has one cause.
 *
 * @param interferences those that are known to the other property, if the overlap is not over
 */
export function promiseHypotheses(
  met: Overlap,
  evidence: SharedEvidence,
  interferences: readonly Interference[],
): readonly Hypothesis[] {
  return hypothesesOf(met, true, evidence, evidence.interferences.ofConcluded(met) ?? interferences);
}

/**
 * Why a hold ended before its lease: first the operations that reported success during the hold, then the faults that lose
 * leases, then the operations that may have taken effect.
 *
 * @param since when the hold may have begun
 * @param until what showed that it was over, in nanoseconds, with the owner value that was granted the lock by then, if any
 */
export function earlyEnds(
  hold: Hold,
  since: number,
  until: { readonly index: number; readonly time: number; readonly owner?: string | undefined },
  evidence: SharedEvidence,
  interferences: readonly Interference[],
): readonly Hypothesis[] {
  const pair = { first: hold, second: { grantedIndex: until.index, grantedTime: until.time, owner: until.owner } };
  const { late, delayed } = foreignExtensions(hold, until.index, evidence, interferences);
  const overwriting = overwritingExtensions(hold, until.index, evidence, interferences);
  const [tooLate, inTime] = byLoss(hold, evidence, interferences);
  return [
    ...late,
    ...takenCertainly(pair, evidence, inTime),
    ...overwriting.answered,
    ...losses(since, until.time, evidence, until.owner !== undefined, setBefore(hold, until.time)),
    ...takenCertainly(pair, evidence, tooLate),
    ...overwriting.unanswered,
    ...takenPossibly(pair, evidence, interferences),
    ...takenByLateGrant(pair, evidence, interferences),
    ...takenOrOwn(pair, evidence, interferences),
    ...delayed,
  ];
}

/**
 * The faults between `from` and `to` that may have lost a lease, the most specific first, after them those whose effect was
 * not observed.
 * @param isGrantedAgain whether another owner was granted the lock after it
 * @param setAt when the lease was set last, as its holder was told
 */
export function losses(
  from: number,
  to: number,
  evidence: SharedEvidence,
  isGrantedAgain = false,
  setAt = from,
): readonly Hypothesis[] {
  const { faults, header } = evidence;
  for (const delay of [0, RECORDING_DELAY_NS]) {
    const found = LOSSES_OF_LEASES.flatMap((loss) => {
      const { cause, by } = loss;
      // The harness notices a promotion by watching, and the first client may find the new master earlier.
      const until = to + (cause === "lost-in-failover" ? RECORDING_DELAY_NS : delay);
      return by.flatMap((matches) => faults.during(matches, from, until)).map((fault) => ({ cause, fault, loss }));
    })
      .filter(({ fault }) => !(header["persistence"] === "always" && keepsSyncedData(traitsOf(fault.f))))
      // A promotion before either grant lost neither of them, but it may have made a second master.
      .filter(({ fault }) => !isPromotion(fault) || fault.time > from)
      .toSorted(({ fault: one }, { fault: other }) => Number(isUnseen(one)) - Number(isUnseen(other)))
      .toSorted(
        ({ fault: one }, { fault: other }) => Number(endsNoLease(one, setAt)) - Number(endsNoLease(other, setAt)),
      );
    const best = found.find(({ fault }) => isClockOfPromoted(fault, found)) ?? found[0];
    const split = splitBetween(from, to, evidence);
    const ranked = best === undefined ? [] : [best, ...found.filter((other) => other !== best)];
    const lost = ranked.map(({ fault, loss }) =>
      lostBy(fault, loss, { isGrantedAgain, to, syncs: header["persistence"] === "always" }),
    );
    const hypotheses = best?.cause === "lost-in-failover" ? [...lost, ...split] : [...split, ...lost];
    if (hypotheses.length > 0) return hypotheses;
  }
  return [];
}

/**
 * Those that may have lost the first lease, and those that only end a lease early or late by a clock, although the lock promised
 * one without an end.
 */
function byEnd({ first, firstLeaseEnd }: Overlap, found: readonly Hypothesis[]) {
  const clocks = LOSSES_OF_LEASES.filter(({ byClock }) => byClock === true).map(({ cause }) => cause);
  const isUnlikely = ({ cause }: Hypothesis): boolean => clocks.includes(cause);
  if (!isEndless(firstLeaseEnd - first.grantedTime)) return [found, []] as const;
  return [found.filter((loss) => !isUnlikely(loss)), found.filter(isUnlikely)] as const;
}

/**
 * If two acquires ran at the same time, the lock may have granted the one that was answered later first. Then that grant may
 * have been lost before the other acquire was invoked.
 */
function lossesBefore(first: Hold, second: Hold, until: number, evidence: SharedEvidence): readonly Hypothesis[] {
  if (second.invokedTime >= first.invokedTime) return [];
  const known = new Set(losses(first.invokedTime, until, evidence).map(({ fault }) => fault));
  return losses(second.invokedTime, until, evidence, true).filter(({ fault }) => !known.has(fault));
}

function lostBy(
  fault: FaultEvent,
  { cause, how, forgets }: LossOfLease,
  { isGrantedAgain, to, syncs }: { readonly isGrantedAgain: boolean; readonly to: number; readonly syncs: boolean },
): Hypothesis {
  const accused = faultInWords(fault);
  const remedies: readonly Remedy[] = cause === "lost-in-restart" && !syncs ? ["fsync"] : [];
  return {
    cause,
    fault: fault.index,
    accused,
    events: [],
    why: `${how(accused, fault)}${forgets && isGrantedAgain ? ", and granted it again" : ""}${recordedLater(fault, to)}`,
    ground: { on: "faults", faults: [fault.index] },
    remedies,
  };
}

/** The harness, or whoever recorded the history, notices some faults only some time after their effect. */
function recordedLater({ time }: FaultEvent, to: number): string {
  return time <= to ? "" : `; it is recorded only ${timeWords(time - to)} later, and may have happened before`;
}

function splitBetween(from: number, to: number, evidence: SharedEvidence): readonly Hypothesis[] {
  const split = twoMasters(from, to, evidence);
  if (split === undefined) return [];
  const { promotion, isolation, why } = split;
  const ground: Ground = { on: "faults", faults: [isolation.index, promotion.index] };
  return [
    {
      cause: "lost-in-failover",
      fault: isolation.index,
      accused: faultInWords(isolation),
      events: [promotion.index],
      why,
      ground,
      remedies: [],
    },
  ];
}

/** What the lock may have done by itself. */
function alone(overlap: Overlap, to: number, evidence: SharedEvidence): readonly Hypothesis[] {
  const late = overpromised(overlap, evidence);
  return [
    ...late,
    ...(late.length > 0 ? [] : roundedLease(overlap, evidence)),
    ...freedByInnerRelease(overlap, evidence),
    grantedTwice(overlap, to, evidence),
  ];
}

function grantedTwice(overlap: Overlap, to: number, evidence: SharedEvidence): Hypothesis {
  const { first, second } = overlap;
  const from = first.invokedTime;
  const meanwhile = meanwhileInWords(from, to, evidence);
  const calm =
    evidence.faults.kindsDuring(0, evidence.endTime).length === 0
      ? namesEveryFault(evidence)
        ? "there was no fault: "
        : "no fault is recorded: "
      : evidence.faults.kindsDuring(from, to).length === 0
        ? "no fault came in between: "
        : "";
  const why = `${calm}the lock itself ${excessInWords(overlap)}${meanwhile}${sharedOwnerInWords(first, second)}`;
  const orElse = `${orOverpromised(overlap, evidence)}${orNotProlonged(overlap)}`;
  const hypothesis = byElimination("double-grant", why, evidence);
  return orElse === "" ? hypothesis : { ...hypothesis, orElse };
}

/** Faults between two times of which nobody knows what they do; empty if there are none. */
export function unknownInWords(from: number, to: number, faults: SharedEvidence["faults"]): string {
  const kinds = faults.kindsDuring(from, to, isUnknown);
  return kinds.length === 0
    ? ""
    : `${listed(kinds)} happened in between, of which lockstorm does not know what it does`;
}

/** Faults that are not accused: those that end no lease, and those of which nobody knows whether they do. */
function meanwhileInWords(from: number, to: number, { faults }: SharedEvidence): string {
  const unknown = unknownInWords(from, to, faults);
  const breaks = ({ breaksConnections }: FaultTraits): boolean => breaksConnections === true;
  const harmless = (traits: FaultTraits): boolean => !takesLeases(traits) && !isUnknown(traits);
  const timing = faults.kindsDuring(from, to, (traits) => harmless(traits) && !breaks(traits));
  // Clients of Redis connect again and send what was not answered, although it may have been carried out.
  const breaking = faults.kindsDuring(from, to, (traits) => harmless(traits) && breaks(traits));
  const notes = [
    timing.length === 0 ? "" : `${listed(timing)} happened in between, which changes the timing but ends no lease`,
    breaking.length === 0
      ? ""
      : `${listed(breaking)} happened in between, which ends no lease, but after which a client may send a command a second time, such as a release`,
    unknown,
  ].filter((note) => note !== "");
  return notes.length === 0 ? "" : ` (${notes.join("; ")})`;
}

function sharedOwnerInWords({ owner }: Hold, second: Hold): string {
  if (owner !== second.owner) return "";
  return `; both clients use the owner value ${shortOwner(owner)}: a lock that compares only this value takes the second for the first, which enters again`;
}

function excessInWords({ first, second, upgraded }: Overlap): string {
  if (upgraded !== undefined) return "let a reader become a writer while another client held it";
  if (first.share.kind === "counted" && second.share.kind === "counted") return "granted more permits than it has";
  if (first.share.kind === "shared") return "granted it to a writer while a reader held it";
  return second.share.kind === "shared" ? "granted it to a reader while a writer held it" : "granted it twice";
}

function inTwoPlaces({ first, second }: Overlap, evidence: SharedEvidence): readonly Hypothesis[] {
  const places = twoPlaces(first, second, evidence);
  if (places === undefined) return [];
  const { fault, shown } = places;
  const shared = { cause: "double-grant", events: [], shown, remedies: [] } as const;
  const kept: readonly Hypothesis[] =
    fault === undefined
      ? []
      : [
          {
            ...shared,
            fault: fault.index,
            accused: faultInWords(fault),
            why: `${faultInWords(fault)} kept one client from reaching the place of the other`,
            ground: { on: "faults", faults: [fault.index] },
          },
        ];
  const why = "a client that cannot reach the place of a lock must not acquire it anywhere else";
  return [...kept, { ...shared, why, ground: { on: "history" } }];
}

/** Whether the extender's own lease may still have been in force: the lock may have granted it as late as it answered. */
function isFreshlyGranted({ second, extended, from }: Overlap): boolean {
  if (extended !== second || !second.vague) return false;
  return second.grantedTime + (second.grantedLeaseEnd - second.invokedTime) > from;
}
