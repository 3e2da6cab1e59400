import type { FaultEvent } from "../core/history.ts";
import type { Cause } from "../core/verdict.ts";
import type { Evidence } from "./evidence.ts";
import { NANOSECONDS_PER_MS, type Hold } from "./holds.ts";
import type { Overlap } from "./overlaps.ts";
import type { Taking } from "./takings.ts";
import { twoMasters } from "./two-masters.ts";
import { twoPlaces } from "./two-places.ts";
import { clientOf, faultInWords, list, ms, shortOwner } from "./words.ts";

/** Why two holds overlapped. */
export interface Diagnosis {
  readonly cause: Cause;
  /** The fault that enabled it. */
  readonly fault?: FaultEvent;
  /** Events that prove the cause, beside the two grants and the fault. */
  readonly events: readonly number[];
  /** One or two sentences: why the lock permitted it. */
  readonly why: string;
}

/** A fault is recorded when its effect was seen, which may be a little after the effect. */
const RECORDING_DELAY = 1000 * NANOSECONDS_PER_MS;

/** A node that syncs before each reply comes back from these with all it had granted. */
const KEEPS_SYNCED_DATA = new Set(["kill-node", "power-loss"]);

/** Faults that lose a lease, the most specific first. */
const FAULTS_THAT_LOSE_LEASES: readonly {
  readonly cause: Cause;
  readonly kinds: readonly string[];
  readonly how: string;
}[] = [
  {
    cause: "lost-in-failover",
    kinds: ["promotion", "failover"],
    how: "Replication is asynchronous: the new master did not have the lock, and gave it away again",
  },
  {
    cause: "lost-in-restart",
    kinds: ["restart-node", "power-loss", "kill-node"],
    how: "The node came back without the lock, and gave it away again",
  },
  {
    cause: "clock-jump",
    kinds: ["clock-jump"],
    how: "Leases end by the wall clock of whoever measures them: a step ended the lease early, or let it seem to last longer than it did",
  },
  {
    cause: "clock-rate",
    kinds: ["clock-rate"],
    how: "Leases end by the wall clock of whoever measures them: with clocks of different speed, the lease ended for the server before it ended for its holder",
  },
  {
    cause: "eviction",
    kinds: ["eviction"],
    how: "The server was short of memory and evicted the lock",
  },
];

/**
 * Finds out why two holds overlapped. `leasesOverlap` says whether their leases did too, that is, whether the lock gave
 * away what it had promised.
 *
 * An overlap without overlapping leases is an `overrun`: the client outlived its lease. Otherwise the evidence is taken
 * in this order: a grant that was over when it was made; grants that name two places; a release or an extension by another owner that took effect in
 * the first hold; a fault between the two grants that loses leases, the most specific first; a release that may have
 * taken effect; and when there was no fault at all, the lock granted twice.
 *
 * @param takings the takings of the key around the time of the overlap
 */
export function diagnose(
  overlap: Overlap,
  leasesOverlap: boolean,
  evidence: Evidence,
  takings: readonly Taking[],
): Diagnosis {
  const { first, second } = overlap;
  const expired = [second, first].find((hold) => hold.grantedLeaseEnd <= hold.grantedTime && hold.validityReported);
  if (expired !== undefined && !leasesOverlap) return expiredGrant(expired, evidence);
  if (!leasesOverlap && (!first.vague || first.leaseEndAtMost <= overlap.from)) return overrun(overlap, evidence);
  return (
    inTwoPlaces(overlap, evidence) ??
    takenByExtension(overlap, evidence) ??
    taken(overlap, evidence, takings, true) ??
    lostByFault(overlap, evidence) ??
    taken(overlap, evidence, takings, false) ??
    (leasesOverlap ? doubleGrant(overlap, evidence) : overrun(overlap, evidence))
  );
}

function expiredGrant(hold: Hold, { header, faults, holds }: Evidence): Diagnosis {
  const pause = faults
    .during(["pause-client"], hold.invokedTime, hold.grantedTime)
    .find((fault) => names(fault, hold, holds.sameClient.bind(holds)));
  const during = pause === undefined ? "" : ` Its client was stopped meanwhile: ${faultInWords(pause)}.`;
  return {
    cause: "expired-grant",
    ...(pause === undefined ? {} : { fault: pause }),
    events: [hold.invokedIndex],
    why: `The lock granted it to ${clientOf(header, hold.process)} when the lease was already over: it asked at ${ms(hold.invokedTime)}, was told yes at ${ms(hold.grantedTime)}, and the lease had ended at ${ms(hold.grantedLeaseEnd)}.${during} A lock must compare the elapsed time with the TTL and refuse`,
  };
}

function overrun({ first, from, firstLeaseEnd }: Overlap, { header, faults, holds }: Evidence): Diagnosis {
  const client = clientOf(header, first.process);
  const sameClient = holds.sameClient.bind(holds);
  const pause = faults
    .during(["pause-client"], first.invokedTime, from)
    .findLast((fault) => names(fault, first, sameClient));
  const other = faults.during(["partition", "stall", "latency"], first.grantedTime, from).at(-1);
  const fault = pause ?? other;
  const reason =
    pause !== undefined
      ? `It was stopped (${faultInWords(pause)}) and did not notice`
      : other !== undefined
        ? `Meanwhile: ${faultInWords(other)}`
        : "It held longer than its lease";
  return {
    cause: "overrun",
    ...(fault === undefined ? {} : { fault }),
    events: [],
    why: `The lease of ${client} had ended at ${ms(firstLeaseEnd)}, so the lock kept its promise and could give the lock to another; the client outlived its lease by ${ms(from - firstLeaseEnd)}. ${reason}. No lock can prevent this; a resource that checks fencing tokens can`,
  };
}

function inTwoPlaces({ first, second }: Overlap, evidence: Evidence): Diagnosis | undefined {
  const places = twoPlaces(first, second, evidence);
  return places === undefined ? undefined : { cause: "double-grant", events: [], ...places };
}

/** The overlap of leases began with an extension, of a lease that the lock had already given to somebody else. */
function takenByExtension({ first, extended, index, from }: Overlap, evidence: Evidence): Diagnosis | undefined {
  if (extended === undefined) return undefined;
  const { header, faults } = evidence;
  // With a second master there are two locks: the extension may well have been the owner's own, on the old one.
  if (faults.faults.some(({ kind, event }) => kind === "promotion" && event.time >= first.invokedTime))
    return undefined;
  if (twoMasters(first.invokedTime, from, evidence) !== undefined) return undefined;
  return {
    cause: "foreign-release",
    events: [index],
    why: `${clientOf(header, extended.process)} prolonged a lease that was no longer its own (event ${index}): the lock did not compare the owner value, or not in one step with the extension`,
  };
}

/** The taking by somebody else, or by a late operation with the same owner value, that may have ended a hold early. */
export function diagnoseTaking(
  hold: Hold,
  until: { readonly index: number; readonly time: number },
  evidence: Evidence,
  takings: readonly Taking[],
): Diagnosis | undefined {
  const overlap = { first: hold, second: { grantedIndex: until.index, grantedTime: until.time, owner: undefined } };
  return taken(overlap, evidence, takings, true) ?? taken(overlap, evidence, takings, false);
}

/** Somebody else's release (or extension), or a late one of the same owner value, took effect in the first hold. */
function taken(
  { first, second }: { readonly first: Hold; readonly second: Successor },
  { header }: Evidence,
  takings: readonly Taking[],
  certain: boolean,
): Diagnosis | undefined {
  const taking = takings.findLast((other) => tookFrom(first, second, other) && certain === isCertain(first, other));
  if (taking === undefined) return undefined;
  const own = taking.owner === first.owner;
  const what = taking.f === "release" ? "release" : "extension";
  const told = taking.certain ? "reported success" : "had an indeterminate end and may have taken effect late";
  const late = own
    ? ", meant for an earlier hold with the same owner value,"
    : ` with owner ${shortOwner(taking.owner)}`;
  return {
    cause: "foreign-release",
    events: [taking.invokedIndex, taking.completedIndex],
    why: `Before that, a ${what} by ${clientOf(header, taking.process)}${late} (events ${taking.invokedIndex} and ${taking.completedIndex}) ${told}${certain ? ": it took the lock from its holder" : ": it probably took the lock from its holder"}. ${own ? "An owner value must be fresh for each acquisition" : "A release must compare the owner value in one step with the deletion"}`,
  };
}

/** Whoever found that the first hold was over: the next to be granted the lock, or its own holder. */
interface Successor {
  readonly grantedIndex: number;
  readonly grantedTime: number;
  readonly owner: string | undefined;
}

/**
 * Whether `taking` may have ended the first hold before the second was granted. An operation whose own lease was still
 * running when it was over has found its own owner value, and taken nothing.
 */
function tookFrom(first: Hold, second: Successor, taking: Taking): boolean {
  if (taking.f === "extend" || taking.invokedIndex > second.grantedIndex || taking.owner === second.owner) return false;
  if (taking.owner === first.owner) return !taking.certain && taking.completedIndex < first.grantedIndex;
  if (taking.certain && taking.completedIndex < first.grantedIndex) return false;
  const over = taking.certain ? taking.completedTime : second.grantedTime;
  return isCertain(first, taking) || (taking.ownLeaseEnd ?? -Infinity) < over;
}

function isCertain(first: Hold, taking: Taking): boolean {
  return taking.certain && taking.owner !== first.owner && taking.invokedIndex > first.grantedIndex;
}

function lostByFault({ first, second, from }: Overlap, evidence: Evidence): Diagnosis | undefined {
  return diagnoseLoss(first.invokedTime, Math.max(from, second.grantedTime), evidence);
}

/**
 * The fault between `from` and `to` that may have lost a lease, the most specific if there were several; undefined if
 * there was none.
 */
export function diagnoseLoss(from: number, to: number, evidence: Evidence): Diagnosis | undefined {
  const { faults, header } = evidence;
  for (const delay of [0, RECORDING_DELAY]) {
    const found = FAULTS_THAT_LOSE_LEASES.flatMap(({ cause, kinds, how }) => {
      // A promotion is noticed by watching, later than by the first client that finds the new master.
      const until = to + (cause === "lost-in-failover" ? RECORDING_DELAY : delay);
      return kinds.flatMap((kind) => faults.during([kind], from, until)).map((fault) => ({ cause, fault, how }));
    })
      .filter(({ fault }) => !(header["persistence"] === "always" && KEEPS_SYNCED_DATA.has(fault.f)))
      // What was promoted before either grant lost neither: it may have made a second master.
      .filter(({ fault }) => fault.f !== "promotion" || fault.time > from);
    const best = found.find(({ fault }) => isClockOfPromoted(fault, found)) ?? found[0];
    const rest = found.filter((other) => other !== best);
    const split = best?.cause === "lost-in-failover" ? undefined : diagnoseSplit(from, to, evidence);
    if (split !== undefined) return split;
    if (best === undefined) continue;
    const others = [
      ...new Set(rest.filter(({ cause }) => cause !== best.cause).map(({ fault }) => faultInWords(fault))),
    ];
    const also = others.length === 0 ? "" : `. Beside that: ${list(others)}`;
    return {
      cause: best.cause,
      fault: best.fault,
      events: [],
      why: `In between the system saw ${faultInWords(best.fault)}. ${best.how}${also}`,
    };
  }
  return undefined;
}

function diagnoseSplit(from: number, to: number, evidence: Evidence): Diagnosis | undefined {
  const split = twoMasters(from, to, evidence);
  if (split === undefined) return undefined;
  const { promotion, isolation, why } = split;
  return { cause: "lost-in-failover", fault: isolation, events: [promotion.index], why };
}

function doubleGrant({ first, second }: Overlap, { faults }: Evidence): Diagnosis {
  const kinds = faults.kindsDuring(first.invokedTime, second.grantedTime);
  if (kinds.length === 0) {
    return { cause: "double-grant", events: [], why: "There was no fault: the lock itself granted it twice" };
  }
  return {
    cause: "unexplained",
    events: [],
    why: `The lock gave away what it had promised to another. The faults in force at the time (${list(kinds)}) do not explain it by themselves`,
  };
}

/** Whether this stepped the clock by which a node, promoted later, judged the leases that had been replicated to it. */
function isClockOfPromoted(step: FaultEvent, found: readonly { readonly fault: FaultEvent }[]): boolean {
  if (step.f !== "clock-jump") return false;
  return found.some(
    ({ fault }) =>
      fault.f === "promotion" &&
      fault.index > step.index &&
      fault.value.targets.some((node) => step.value.targets.includes(node)),
  );
}

function names(fault: FaultEvent, hold: Hold, sameClient: (earlier: number, later: number) => boolean): boolean {
  return (fault.value.processes ?? []).some(
    (process) => sameClient(hold.process, process) || sameClient(hold.currentProcess, process),
  );
}
