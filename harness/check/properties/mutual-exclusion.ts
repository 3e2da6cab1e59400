import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import { hypothesesOf } from "../causes/causes.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, VALID } from "../findings.ts";
import type { Hold } from "../../history/holds.ts";
import { OpenOverlaps, rivalsOf, type Overlap } from "../evidence/overlaps.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { Interference } from "../evidence/interferences.ts";
import { holderOf, ms } from "../words.ts";

/**
 * P1, mutual exclusion: no two owners hold the same key at the same time. Judged on definite holds, from the completion
 * of an acquire to the invocation of its release, a lost notice or a crash. These are inner bounds, so that there are
 * no false positives. A paused client still holds. A client without any of these may have forgotten the lock: it holds
 * only until its last operation on the key.
 */
export const mutualExclusion: CheckerFactory = {
  property: "mutual-exclusion",
  create: (evidence) => new MutualExclusion(evidence),
};

class MutualExclusion implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("mutual-exclusion");
  readonly #overlaps = new OpenOverlaps((overlap) => this.#conclude(overlap));
  #holds = 0;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push(step: HistoryStep): void {
    for (const change of step.changes) if (change.kind === "granted") this.#granted(change.hold);
    this.#overlaps.push(step);
  }

  finish(): PropertyVerdict {
    this.#overlaps.finish();
    return this.#findings.verdict(this.#holds === 0 ? notApplicable("no lock was ever granted") : VALID);
  }

  #granted(second: Hold): void {
    this.#holds += 1;
    const { leases, holds } = this.#evidence;
    const { grantedTime: from, grantedIndex: index } = second;
    for (const first of rivalsOf(second, holds.latest(second.key))) {
      // Leases that overlap from the grant on are the same overlap: kept once, where there are hundreds of thousands.
      const same = leases.between(first, second);
      this.#overlaps.begin(same ?? { first, second, from, index, firstLeaseEnd: first.leaseEnd });
    }
  }

  /** The first holder must show that it still meant to hold when the second was granted the lock. */
  #conclude(overlap: Overlap): void {
    if (overlap.first.lastSignIndex <= overlap.index) return;
    const interferences = this.#evidence.interferences.of(overlap.first.key);
    this.#findings.add(() => this.#describe(overlap, interferences));
  }

  #describe(overlap: Overlap, interferences: readonly Interference[]): Violation {
    const { header, leases } = this.#evidence;
    const { first, second, from } = overlap;
    const to = Math.min(first.lastSignTime, second.end?.time ?? Infinity);
    const met = leases.between(first, second);
    const held =
      first.end?.time !== first.lastSignTime
        ? `still held it at ${ms(first.lastSignTime)}`
        : `held it until ${ms(first.lastSignTime)}`;
    const account =
      `Two clients held ${first.key} at the same time for ${ms(to - from)}. ` +
      `${holderOf(header, first)} was granted it at ${ms(first.grantedTime)} and ${held}; ` +
      `${holderOf(header, second)} was granted it at ${ms(second.grantedTime)}.`;
    const hypotheses = hypothesesOf(met ?? overlap, met !== undefined, this.#evidence, interferences);
    return {
      ...explain(account, [first.grantedIndex, second.grantedIndex], hypotheses),
      holders: [holder(first), holder(second)],
      overlap: { from, to },
    };
  }
}

/** A hold as a verdict names it. */
export function holder({ process, owner, fence }: Hold): { process: number; owner: string; fence?: number } {
  return { process, owner, ...(fence === undefined ? {} : { fence }) };
}
