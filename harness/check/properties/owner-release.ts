import { RECORDING_DELAY_NS } from "../../history/fault-timeline.ts";
import {
  losesNodeData,
  mayCopyLocks,
  mayLoseLocks,
  movesClocks,
  pausesClients,
  type FaultTraits,
} from "../../core/fault-traits.ts";
import { knownTopology } from "../../core/topologies/registry.ts";
import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { byElimination, orGrantedBefore } from "../causes/by-elimination.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, VALID } from "../findings.ts";
import { heldAlone, type Hold } from "../../history/holds.ts";
import { mayRemainOnSome } from "../../history/holds/over-for-certain.ts";
import { hadNoEffect, leaseAt, type LeaseRequest } from "../../history/leases.ts";
import { holder } from "./mutual-exclusion.ts";
import { goneByOf, type OwnerGrants } from "../evidence/owner-grants.ts";
import { RemarkList } from "../remark-list.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { interferenceOf, type Interference } from "../evidence/interferences.ts";
import { isReleaseAgain } from "../../history/operations.ts";
import { twoMasters } from "../causes/two-masters.ts";
import { UnknownAcquires } from "./unknown-acquires.ts";
import { ownerAsStated, shortOwner } from "../../history/owner-value.ts";
import { duringInWords } from "./operation-words.ts";
import { clientInWords, faultInWords, holderOf, leaseInWords, timeWords } from "../words.ts";

/** The latest of the holds that an operation lies in: one of them proves as much as all. */
const VICTIMS_PER_OPERATION = 8;

/**
 * No more operations than this wait to be judged: a lock that takes that many locks from others is judged by those that
 * wait.
 */
const MOST_WAITING = 256;

/**
 * P6, owner release: a client deletes or extends a lock only if it finds its own owner value there. A release that
 * reports `released: true`, or an extension that reports success, took another owner's lock if it lies whole within
 * that owner's definite hold and lease and the order at the server is certain: every grant of its own owner value was
 * completed before the other asked for the lock, or it had certainly given back what it had, or it never had anything.
 *
 * Otherwise its own grant may be the later of the two, and a fault may have robbed the other client: with grants that
 * overlap in time, or an acquire of unknown outcome. And if there may be more than one copy of the lock (several
 * masters, or a promoted replica, or a node that came back with older data), the owner may just as well have found its
 * own value on the other copy. Such an operation is a remark.
 */
export const ownerRelease: CheckerFactory = {
  property: "owner-release",
  create: (evidence) => new OwnerRelease(evidence),
};

/** An operation that lies whole within another's hold. It is judged when everything that may excuse it is known. */
interface Suspicion {
  readonly key: string;
  readonly interference: Interference;
  readonly victim: Hold;
  /** What its owner value had been granted until it was over. */
  readonly own: OwnerGrants | undefined;
  /** Requests that may have ended the lease of the victim by then, and had not been answered. */
  readonly doubts: readonly LeaseRequest[];
  /** Whether a third owner was granted the key when the victim may have held it: the lock may have lost the victim's. */
  readonly grantedToAnother: boolean;
  /** Whether some grants that matter may be forgotten. */
  readonly forgotten: boolean;
  /** Whether its owner value may have had a hold from before the history began when it was asked for. */
  readonly mayHoldSinceBefore: boolean;
}

class OwnerRelease implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("owner-release");
  readonly #remarks = new RemarkList("more releases of this kind are not listed");
  readonly #unknown: UnknownAcquires;
  #waiting: Suspicion[] = [];
  #operations = 0;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
    this.#unknown = new UnknownAcquires(evidence.header.clients);
  }

  get remarks(): readonly string[] {
    return [...this.#findings.remarks, ...this.#remarks.all];
  }

  push(step: HistoryStep): void {
    const { event, invocation } = step;
    if (event.type !== "invoke" && event.type !== "fault" && (event.f === "release" || event.f === "extend")) {
      this.#operations += 1;
      // A lock may answer to a second release as it did to the first.
      const interference = isReleaseAgain(event, invocation) ? undefined : interferenceOf(event, invocation, undefined);
      if (interference?.certain === true) this.#suspect(event.key, interference);
    }
    this.#unknown.push(event);
    if (this.#waiting.length > 0) this.#resolve(step);
  }

  knows(key: string): boolean {
    return !this.#waiting.some((suspicion) => suspicion.key === key);
  }

  conclude(key: string): void {
    this.#unknown.conclude(key);
  }

  finish(): PropertyVerdict {
    for (const suspicion of this.#waiting) {
      this.#judge(suspicion);
    }
    this.#waiting = [];
    return this.#findings.verdict(this.#operations === 0 ? notApplicable("nobody released or extended a lock") : VALID);
  }

  #suspect(key: string, interference: Interference): void {
    const own = this.#evidence.ownerGrants.of(key, interference.owner);
    const latest = [...firstOf(this.#evidence.holds.latest(key), VICTIMS_PER_OPERATION)];
    for (const victim of latest) {
      if (this.#waiting.length >= MOST_WAITING) return;
      const doubts = doubtsWithin(victim, interference);
      if (doubts === undefined || !mayBeOver({ own, victim, interference })) continue;
      this.#waiting.push({
        key,
        interference,
        victim,
        doubts,
        grantedToAnother: latest.some(
          ({ owner, grantedIndex }) =>
            owner !== victim.owner && owner !== interference.owner && grantedIndex > victim.invokedIndex,
        ),
        own,
        mayHoldSinceBefore: this.#mayHoldSinceBefore(key, interference.owner, own),
        forgotten: own === undefined && this.#evidence.ownerGrants.forgottenUpTo >= victim.invokedIndex,
      });
    }
  }

  #mayHoldSinceBefore(key: string, owner: string, own: OwnerGrants | undefined): boolean {
    return own === undefined ? this.#evidence.heldBefore.mayHold(key, owner) : own.mayRemain;
  }

  /** Judges the operations that nothing can excuse any more. */
  #resolve({ event, invocation }: HistoryStep): void {
    this.#waiting = this.#waiting.filter((suspicion) => {
      if (event.type !== "fault" && event.type !== "audit" && event.type !== "notice" && invocation?.f === "acquire") {
        const wasUnderWay = suspicion.key === event.key && invocation.index < suspicion.interference.completedIndex;
        if (wasUnderWay && event.type === "ok" && event.f === "acquire") {
          if (event.value.owner === suspicion.interference.owner) return false;
        }
      }
      if (this.#isOpen(suspicion) || event.time <= suspicion.interference.completedTime + RECORDING_DELAY_NS)
        return true;
      this.#judge(suspicion);
      return false;
    });
  }

  /**
   * Whether an acquire is under way that was so when the operation was over: it may be granted its owner value. Or a
   * request is not answered that may have ended the lease of the victim.
   */
  #isOpen({ key, interference, doubts }: Suspicion): boolean {
    const isInDoubt = doubts.some(({ outcome }) => outcome === undefined);
    return isInDoubt || this.#unknown.hasOpen(key, interference.completedIndex);
  }

  /**
   * Whether a process may belong to the client that took the lock, or to one that was granted the lock with its owner
   * value.
   */
  #isClientOf(process: number, { interference, own }: Suspicion): boolean {
    const { holds } = this.#evidence;
    return (
      holds.sameClient(process, interference.process) ||
      (own !== undefined && holds.sameClient(process, own.hold.process))
    );
  }

  #judge(suspicion: Suspicion): void {
    const { key, interference, victim } = suspicion;
    if (suspicion.forgotten || !isOver(suspicion)) return;
    if (suspicion.doubts.some((request) => !hadNoEffect(request, victim))) return;
    const mayHaveOwn = this.#mayHaveBeenGranted(suspicion) || this.#hadItsOwnCopy(suspicion);
    if (!mayHaveOwn) {
      this.#findings.add(() => this.#describe(suspicion));
      return;
    }
    this.#remarks.add(
      `${clientInWords(this.#evidence.header, interference.process)} ended or extended ${key} as owner ${shortOwner(ownerAsStated(interference), undefined, [ownerAsStated(victim)])} while ${shortOwner(ownerAsStated(victim), undefined, [ownerAsStated(interference)])} held it (events ${interference.invokedIndex} and ${interference.completedIndex}): it may have held the lock itself, by an acquire of unknown outcome or on another copy of the lock`,
    );
  }

  /** Whether an acquire of unknown outcome may have been granted with its owner value after the other had lost the lock. */
  #mayHaveBeenGranted(suspicion: Suspicion): boolean {
    const { key, interference, victim, own, grantedToAnother } = suspicion;
    const isClient = (process: number): boolean => this.#isClientOf(process, suspicion);
    const underWay = this.#isOpen(suspicion) ? [...this.#unknown.open(key, interference.completedIndex)] : [];
    if (!underWay.some(isClient) && !this.#unknown.hadIndeterminate(key, interference.completedIndex, isClient))
      return false;
    if (own === undefined || grantedToAnother) return true;
    // Where several may hold the key, it may have been granted beside the other, who lost nothing.
    if (!bothExclude(suspicion)) return true;
    // Also by an earlier operation of its own.
    const wasTaken = this.#evidence.interferences
      .of(key)
      .some(
        ({ owner, invokedIndex, completedIndex }) =>
          owner !== victim.owner &&
          invokedIndex < (owner === interference.owner ? interference.invokedIndex : interference.completedIndex) &&
          completedIndex > victim.invokedIndex,
      );
    return wasTaken || this.#sawFault(victim.invokedTime, interference, mayLoseLocks);
  }

  /** Whether it may have found its own owner value, on a copy of the lock that the victim did not get. */
  #hadItsOwnCopy({ interference, victim, own }: Suspicion): boolean {
    const { header, faults, beganFree } = this.#evidence;
    const hold = own?.hold;
    if (hold?.place !== undefined && victim.place !== undefined && hold.place !== victim.place) return true;
    // What its owner value held before the recording, another copy may still have.
    const since = hold?.invokedTime ?? (beganFree ? victim.invokedTime : 0);
    if (twoMasters(since, interference.completedTime, this.#evidence) !== undefined) return true;
    // A node cannot come back with older data if it writes before it answers, or writes nothing.
    const comesBack = header["persistence"] !== "always" && header["persistence"] !== "none";
    if (
      this.#sawFault(since, interference, (traits) => mayCopyLocks(traits) && (comesBack || !losesNodeData(traits)))
    ) {
      return true;
    }
    if (knownTopology(header["topology"])?.arrangement !== "independent") return false;
    if (hold === undefined) return !beganFree;
    const { invokedTime, completedTime } = interference;
    return mayRemainOnSome(hold, invokedTime) || faults.anyDuring(movesClocks, since, completedTime);
  }

  #sawFault(since: number, { completedTime }: Interference, matters: (traits: FaultTraits) => boolean): boolean {
    return this.#evidence.faults.anyDuring(matters, since, completedTime + RECORDING_DELAY_NS);
  }

  #describe({ key, interference, own, victim }: Suspicion): Violation {
    const { header, faults, holds } = this.#evidence;
    const hold = own?.hold;
    const pause = faults
      .during(pausesClients, hold?.grantedTime ?? 0, interference.completedTime)
      .findLast(({ value }) => value.processes?.some((process) => holds.sameClient(process, interference.process)));
    const what = interference.f === "release" ? "released" : "extended";
    const stopped = pause === undefined ? "" : ` The client had been stopped by ${faultInWords(pause)}.`;
    const account =
      `${clientInWords(header, interference.process)} (owner ${shortOwner(ownerAsStated(interference), undefined, [ownerAsStated(victim)])}) ${what} ${key} ${duringInWords(interference)}, ` +
      `and the lock reported success, while ${holderOf(header, victim, [interference])} had held it since ` +
      `${timeWords(victim.grantedTime)}. The client that ${what} it ${standing(hold, interference, this.#evidence.beganFree)}.${stopped}`;
    // Where a fault may excuse the operation, it is only a remark.
    // The history shows the answer of the lock, and not what it did.
    const freeing = victim.share.kind === "exclusive" ? "deletes the key" : "gives it back";
    const step = interference.f === "release" ? freeing : "extends the lease";
    const why = `the lock did not compare the owner value in the step that ${step}, or it reports success although it ${what} nothing`;
    const events = [
      hold?.grantedIndex,
      victim.grantedIndex,
      interference.invokedIndex,
      interference.completedIndex,
      pause?.index,
    ];
    const taken = byElimination("foreign-release", why, this.#evidence, () => false);
    return {
      ...explain(account, events, [orGrantedBefore(taken, hold !== undefined, this.#evidence)]),
      holders: [
        hold === undefined ? { process: interference.process, owner: ownerAsStated(interference) } : holder(hold),
        holder(victim),
      ],
    };
  }
}

/**
 * The unanswered requests that alone may have ended the victim's lease before the operation was over; undefined if this
 * does not lie within another owner's hold and lease.
 */
function doubtsWithin(
  victim: Hold,
  { owner, invokedIndex, completedTime }: Interference,
): Suspicion["doubts"] | undefined {
  if (victim.owner === owner || victim.doubtful || victim.grantedIndex >= invokedIndex) return undefined;
  return victim.leaseEnd >= completedTime ? [] : leaseAt(victim, completedTime)?.doubts;
}

function* firstOf<T>(items: Iterable<T>, most: number): Iterable<T> {
  let count = 0;
  for (const item of items) {
    if ((count += 1) > most) return;
    yield item;
  }
}

/**
 * Whether both owners held, or hold, alone. Only a hold that excludes all others shows that
 * those before it were over. A reader's is kept apart from a writer's: a lock that forgets it keeps it all the same.
 */
function bothExclude({ own, victim }: Pick<Suspicion, "own" | "victim">): boolean {
  return [victim, own?.hold].every((hold) => hold === undefined || heldAlone(hold));
}

/** Whether all grants of its owner value were certainly over when the other was granted the lock, or soon after. */
function isOver(suspicion: Suspicion): boolean {
  const { own, victim, interference, mayHoldSinceBefore } = suspicion;
  const excludes = bothExclude(suspicion);
  if (excludes && (own === undefined || own.grantedBy < victim.invokedIndex)) return true;
  if (!excludes && mayHoldSinceBefore) return false;
  const goneBy = own === undefined ? undefined : goneByOf(own);
  return own === undefined || (goneBy !== undefined && goneBy < interference.invokedIndex);
}

/**
 * False if `isOver` cannot become true: what is learned later may show that less was over. Where many hold at a time, nearly every
 * release is one of these, and those that matter are to be remembered.
 */
function mayBeOver({ own, victim, interference }: Pick<Suspicion, "own" | "victim" | "interference">): boolean {
  if (own === undefined || (own.goneBy ?? Infinity) < interference.invokedIndex) return true;
  return own.grantedBy < victim.invokedIndex && bothExclude({ own, victim });
}

/** What the client that took the lock had of its own. */
function standing(own: Hold | undefined, interference: Interference, beganFree: boolean): string {
  if (own === undefined) {
    return beganFree
      ? "had never been granted it with this owner value"
      : "had not been granted it with this owner value since the history began";
  }
  // The end of a lease that an extension moved may have been moved by the very extension that is judged.
  const isProlonged = interference.f === "release" && own.leaseEnd > own.grantedLeaseEnd;
  const lease = leaseInWords(own.grantedTime, own.grantedLeaseEnd);
  const prolonged = isProlonged ? `, prolonged until ${timeWords(own.leaseEnd)}` : "";
  const granted = `had been granted it at ${timeWords(own.grantedTime)} ${lease}${prolonged}`;
  // Its own hold ends with the very release that is judged.
  if (own.end === undefined || own.end.index >= interference.invokedIndex) return granted;
  return `${granted}, and had not held it since ${timeWords(own.end.time)}`;
}
