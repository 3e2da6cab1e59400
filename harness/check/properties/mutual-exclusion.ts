import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import { hypothesesOf, promiseHypotheses } from "../causes/causes.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import { DisputedOwners } from "./disputed-owners.ts";
import { DoubtedShares } from "./doubted-shares.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, unknown, VALID } from "../findings.ts";
import { latestEnd } from "../evidence/latest-end.ts";
import type { HistoryEvent } from "../../history/history.ts";
import type { Hold } from "../../history/holds.ts";
import {
  conflictsOf,
  type FirstLease,
  firstLeaseOf,
  OpenOverlaps,
  rivalsOf,
  tooMany,
  type Overlap,
} from "../evidence/overlaps.ts";
import { hadNoEffect } from "../../history/leases.ts";
import { type PossibleShares, possibleShares } from "../evidence/possible-shares.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { Interference } from "../evidence/interferences.ts";
import { ownerAsStated } from "../../history/owner-value.ts";
import { tooManyInWords, holderOf, joinedInWords, lasting, timeWords, upgradeInWords } from "../words.ts";

/**
 * P1, mutual exclusion: no two owners hold the same key at the same time, unless both share it; and the holders of a
 * semaphore never have more permits than its limit. Definite holds are judged: from the completion of an acquire to the
 * invocation of its release or a lost notice. These are inner bounds, so there are no false positives. A paused client
 * still holds. If a hold has none of these ends, the client may have forgotten the lock, so the hold counts only until the
 * client's last operation on the key.
 */
export const mutualExclusion: CheckerFactory = {
  property: "mutual-exclusion",
  create: (evidence) => new MutualExclusion(evidence),
};

/** No more overlaps than this wait: a lock that has so many is judged by those. */
const MOST_WAITING = 1000;

interface Waiting {
  readonly overlap: Overlap;
  /** The earlier holders that showed in time that they still meant to hold. */
  readonly meant: readonly Hold[];
  readonly interferences: readonly Interference[];
}

class MutualExclusion implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("mutual-exclusion");
  readonly #overlaps = new OpenOverlaps((overlap) => this.#conclude(overlap));
  readonly #disputed = new DisputedOwners(false);
  readonly #doubted = new DoubtedShares(false);
  /** Those of which the second holder is to show that it still meant to hold, when the first had begun. */
  readonly #waiting: Waiting[] = [];
  #holds = 0;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push(step: HistoryStep): void {
    for (const change of step.changes) {
      if (change.kind === "granted") this.#granted(change.hold);
      else if (change.kind === "reentered" && change.upgrades) this.#begin(change.hold, step.event, change.hold);
    }
    this.#overlaps.push(step);
    this.#disputed.push(step);
    this.#doubted.push(step, this.#evidence.holds);
  }

  knows(key: string): boolean {
    const { holds } = this.#evidence;
    return ![...holds.latest(key), ...holds.latestForgotten(key)].some((hold) => this.#overlaps.awaits(hold));
  }

  finish(): PropertyVerdict {
    this.#overlaps.finish();
    for (const { overlap, meant, interferences } of this.#waiting)
      if (overlap.second.lastSignTime > overlap.second.grantedTime) this.#find(overlap, meant, interferences);
    const reason = this.#disputed.reason ?? this.#doubted.reason;
    if (this.#holds > 0) return this.#findings.verdict(reason === undefined ? VALID : unknown(reason));
    return this.#findings.verdict(notApplicable(this.#evidence.noneInWords("grant", "no lock was ever granted")));
  }

  #granted(second: Hold): void {
    this.#holds += 1;
    this.#begin(second, { time: second.grantedTime, index: second.grantedIndex });
  }

  /** Begins the overlaps of a hold with others that there must not be from an event on. */
  #begin(second: Hold, { time: from, index }: Pick<HistoryEvent, "time" | "index">, upgraded?: Hold): void {
    const { leases, holds } = this.#evidence;
    if (holds.fits(second)) return;
    const rivals = rivalsOf(second, holds.latest(second.key));
    const shares = possibleShares([second, ...rivals]);
    for (const group of this.#conflicts(second, rivals, new Map())) {
      const [first, ...others] = group;
      // Leases that overlap from the grant on are the same overlap: kept once, where there are hundreds of thousands.
      const same = others.length === 0 ? leases.between(first, second) : undefined;
      const many = others.length === 0 ? {} : { others, otherLeases: others.map(firstLeaseOf) };
      const further = upgraded === undefined ? many : { ...many, upgraded };
      const { leaseCut: secondLeaseCut } = second;
      const begun = { first, second, ...further, shares, from, index, ...firstLeaseOf(first), secondLeaseCut };
      this.#overlaps.begin(same ?? begun);
    }
  }

  #conflicts(second: Hold, rivals: readonly Hold[], shares: PossibleShares): ReturnType<typeof conflictsOf> {
    const { holds } = this.#evidence;
    return conflictsOf(second, rivals, (earlier, later) => holds.sameClient(earlier, later), shares);
  }

  /**
   * An overlap counts only if the first holder shows, after the second grant, that it still meant to hold. For a semaphore,
   * enough holders must show it to exceed the limit.
   */
  #conclude(overlap: Overlap): void {
    const { first, second, others = [], index } = overlap;
    const meant = [first, ...others].filter(({ lastSignIndex }) => lastSignIndex > index);
    const interferences = this.#evidence.interferences.of(first.key);
    // Of grants at one time, as far as the clocks show, nobody knows which came first: the second must outlast that time too.
    const outlasts = !second.besideOthers || second.lastSignTime > second.grantedTime;
    const granted = second.grantedTime - second.grantedWithin;
    const earlier = meant.filter(({ grantedTime }) => outlasts || grantedTime < granted);
    if (this.#find(overlap, earlier, interferences) || earlier.length === meant.length) return;
    const mayOutlast = second.grantedWithin > 0 && second.end === undefined;
    if (mayOutlast && this.#waiting.length < MOST_WAITING) this.#waiting.push({ overlap, meant, interferences });
  }

  /** Whether the hold of these overlapped with the second one. */
  #find(overlap: Overlap, meant: readonly Hold[], interferences: readonly Interference[]): boolean {
    const { second, others = [], shares } = overlap;
    const group = others.length === 0 ? meant : (tooMany(second, meant, shares) ?? []);
    if (group.length === 0 || (shares.size > 0 && this.#conflicts(second, group, shares).length === 0)) return false;
    const confirmed = others.length === 0 ? overlap : overranFirst(overlap, group);
    // The answer that makes an overlap of the leases certain may come later.
    const met = this.#leasesOf(confirmed);
    this.#findings.add(() => this.#describe(confirmed, met ?? this.#leasesOf(confirmed), interferences));
    return true;
  }

  /** The overlap of the leases of these holds. */
  #leasesOf({ first, second, others = [] }: Overlap): Overlap | undefined {
    const { leases } = this.#evidence;
    return others.length === 0 ? leases.between(first, second) : leases.among([first, ...others, second]);
  }

  #describe(overlap: Overlap, met: Overlap | undefined, interferences: readonly Interference[]): Violation {
    const { header } = this.#evidence;
    const { first, second, others = [], from } = overlap;
    const earlier = [first, ...others];
    const to = Math.min(...earlier.map(({ lastSignTime }) => lastSignTime), second.end?.time ?? Infinity);
    const holding = earlier.map((hold) => {
      const held =
        hold.end?.time !== hold.lastSignTime
          ? `still held it at ${timeWords(hold.lastSignTime)}`
          : `held it until ${timeWords(hold.lastSignTime)}`;
      return `${holderOf(header, hold, [...earlier, second])} was granted it at ${timeWords(hold.grantedTime)} and ${held}; `;
    });
    const account =
      `${tooManyInWords([...earlier, second], "held")} at the same time for ${lasting(to - from)}. ` +
      `${holding.join("")}${holderOf(header, second, earlier)} was granted it at ${timeWords(second.grantedTime)}.${upgradeInWords(header, overlap)}${met === undefined ? "" : joinedInWords(header, met, to)}`;
    const hypotheses =
      met === undefined
        ? hypothesesOf(overlap, false, this.#evidence, interferences)
        : promiseHypotheses(met, this.#evidence, interferences);
    return {
      ...explain(account, [...earlier.map(({ grantedIndex }) => grantedIndex), second.grantedIndex], hypotheses),
      holders: [holder(first), holder(second)],
      overlap: { from, to },
    };
  }
}

/** The overlap of these of its earlier holds alone; first, one whose lease was over when it began, if there is one. */
function overranFirst(overlap: Overlap, group: readonly Hold[]): Overlap {
  const { first, others = [], otherLeases = [], from, firstLeaseEnd, firstLeaseCut, firstLeaseAsked } = overlap;
  const leases = [{ firstLeaseEnd, firstLeaseCut, firstLeaseAsked }, ...otherLeases];
  const [chosen] = [first, ...others]
    .flatMap((hold, at) => {
      const lease = leases[at];
      return lease === undefined || !group.includes(hold) ? [] : [{ hold, lease, doubt: doubtOf(hold, lease, from) }];
    })
    .toSorted((one, other) => one.doubt - other.doubt);
  if (chosen === undefined) return overlap;
  return { ...overlap, first: chosen.hold, others: group.filter((hold) => hold !== chosen.hold), ...chosen.lease };
}

/**
 * How doubtful it is that this lease was over at some time: not at all (0), because nobody knows when it began (1),
 * because a request for a shorter lease may have had no effect (2), or very (3).
 */
function doubtOf(hold: Hold, { firstLeaseEnd, firstLeaseCut }: FirstLease, time: number): number {
  const toldEnd = firstLeaseCut?.toldEnd ?? firstLeaseEnd;
  if (toldEnd <= time) return latestEnd(hold, toldEnd) > time ? 1 : 0;
  return firstLeaseCut?.requests.some(({ by, end }) => end <= time && !hadNoEffect(by, hold)) === true ? 2 : 3;
}

/** A hold as a verdict names it. */
export function holder({ process, fence, ...hold }: Hold): { process: number; owner: string; fence?: number } {
  return { process, owner: ownerAsStated(hold), ...(fence === undefined ? {} : { fence }) };
}
