import { statedOwner } from "../../history/owner-value.ts";
import { pausesClients } from "../../core/fault-traits.ts";
import type { Hypothesis, PropertyVerdict, Violation } from "../../core/verdict.ts";
import { hypothesesOf } from "../causes/causes.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import { DisputedOwners } from "./disputed-owners.ts";
import { DoubtedShares } from "./doubted-shares.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { Findings, notApplicable, unknown, VALID } from "../findings.ts";
import { NANOSECONDS_PER_MS } from "../../history/history.ts";
import { holder } from "./mutual-exclusion.ts";
import { OpenOverlaps, type Overlap } from "../evidence/overlaps.ts";
import { grantOf, type CompletionEvent, type InvocationEvent } from "../../history/operations.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { Interference } from "../evidence/interferences.ts";
import {
  faultInWords,
  holderOf,
  joinedInWords,
  lasting,
  leaseInWords,
  timeWords,
  promiseInWords,
  upgradeInWords,
} from "../words.ts";

type Granting = Extract<CompletionEvent, { f: "acquire" | "extend"; type: "ok" }>;

/** How many overlaps are followed to their end at a time. Each one is a violation; further ones are only counted. */
const MOST_FOLLOWED = 10_000;

/**
 * P2, lease exclusion, which blames the lock and never the client: no two owners have leases of the same key in force at the
 * same time, unless both share it; and the leases of a semaphore never exceed its permits. A lease is a definite hold that is
 * cut, on the true clock, where the lock's promise ends: at the end of the validity that the lock reported or, if it reports
 * none, one TTL after the invocation. A grant whose validity is already over is a violation by itself.
 */
export const leaseExclusion: CheckerFactory = {
  property: "lease-exclusion",
  create: (evidence) => new LeaseExclusion(evidence),
};

class LeaseExclusion implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("lease-exclusion");
  readonly #overlaps = new OpenOverlaps((overlap) => this.#conclude(overlap));
  readonly #disputed = new DisputedOwners(true);
  readonly #doubted = new DoubtedShares(true);
  #grants = 0;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push(step: HistoryStep): void {
    const { event, invocation } = step;
    if (grantOf(event, invocation) !== undefined) this.#grants += 1;
    if (event.type === "ok" && (event.f === "acquire" || event.f === "extend") && invocation !== undefined) {
      this.#refuseExpired(event, invocation);
    }
    for (const overlap of step.leaseOverlaps) {
      if (this.#overlaps.open < MOST_FOLLOWED) this.#overlaps.begin(overlap);
      else this.#findings.addUnlisted();
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
    const reason = this.#disputed.reason ?? this.#doubted.reason;
    if (this.#grants > 0) return this.#findings.verdict(reason === undefined ? VALID : unknown(reason));
    return this.#findings.verdict(notApplicable(this.#evidence.noneInWords("grant", "no lock was ever granted")));
  }

  #refuseExpired(event: Granting, invocation: InvocationEvent): void {
    const { validForMs } = event.value;
    if (validForMs === undefined || validForMs > 0) return;
    this.#findings.add(() => {
      const { faults, holds, header } = this.#evidence;
      const pause = faults
        .during(pausesClients, invocation.time, event.time)
        .find(({ value }) => value.processes?.some((process) => holds.sameClient(process, event.process)));
      const asked = event.f === "acquire" ? "asked for" : "asked to extend";
      const granted = event.f === "acquire" ? "was granted it" : "was told that it was extended";
      const over = validForMs === 0 ? "just ended" : `been over for ${timeWords(-validForMs * NANOSECONDS_PER_MS)}`;
      const account =
        `${holderOf(header, { ...event.value, stated: statedOwner(event), process: event.process, fence: event.value.fence })} ${asked} ${event.key} at ${timeWords(invocation.time)} ` +
        `and ${granted} at ${timeWords(event.time)}, when the lease, by the validity that the lock reported, had ${over}.`;
      const request = event.f === "acquire" ? "took the key, not from an earlier try," : "prolonged it,";
      const shown = `the lease was over before the client received it: the lock must count it from the request that ${request} and refuse what is over`;
      const shared = {
        cause: "expired-grant",
        events: [],
        shown,
        grant: event.index,
        remedies: ["elapsed-check"],
      } as const;
      const stopped: readonly Hypothesis[] =
        pause === undefined
          ? []
          : [
              {
                ...shared,
                fault: pause.index,
                accused: faultInWords(pause),
                why: `in between its client was stopped by ${faultInWords(pause)}`,
                ground: { on: "faults", faults: [pause.index] },
              },
            ];
      return explain(
        account,
        [invocation.index, event.index],
        [...stopped, { ...shared, why: "the lock granted it nevertheless", ground: { on: "history" } }],
      );
    });
  }

  #conclude(overlap: Overlap): void {
    const interferences = this.#evidence.interferences.conclude(overlap);
    this.#findings.add(() => this.#describe(overlap, interferences));
  }

  #describe(overlap: Overlap, interferences: readonly Interference[]): Violation {
    const { header, endTime } = this.#evidence;
    const { first, second, others = [], from, index } = overlap;
    const holds = [first, ...others, second];
    const to = Math.max(from, Math.min(...holds.flatMap(({ leaseEnd, end }) => [leaseEnd, end?.time ?? endTime])));
    const further = others.map(
      (hold) =>
        `${holderOf(header, hold, holds)} at ${timeWords(hold.grantedTime)}, ${leaseInWords(hold.grantedTime, hold.leaseEnd)}; `,
    );
    const account =
      `The lock promised ${promiseInWords(holds)} at the same time, for ${lasting(to - from)} from ${timeWords(from)} on. ` +
      `${holderOf(header, first, holds)} was granted it at ${timeWords(first.grantedTime)}, ${firstLeaseInWords(overlap)}; ` +
      `${further.join("")}${holderOf(header, second, holds)} was granted it at ${timeWords(second.grantedTime)}${overlap.extended === second ? `, and its lease was prolonged at ${timeWords(from)}` : ""}.${upgradeInWords(header, overlap)}${joinedInWords(header, overlap, to)}`;
    const hypotheses = hypothesesOf(overlap, true, this.#evidence, interferences);
    return {
      ...explain(account, [...holds.map(({ grantedIndex }) => grantedIndex), index], hypotheses),
      holders: [holder(first), holder(second)],
      overlap: { from, to },
    };
  }
}

/** The lease of the holder that was granted it first, as it was promised when the overlap began. */
function firstLeaseInWords({ first, firstLeaseEnd, extended, from }: Overlap): string {
  const granted = leaseInWords(first.grantedTime, first.grantedLeaseEnd);
  if (extended === first)
    return `${granted}, which was prolonged at ${timeWords(from)} until ${timeWords(firstLeaseEnd)}`;
  if (firstLeaseEnd <= first.grantedLeaseEnd) return leaseInWords(first.grantedTime, firstLeaseEnd);
  return `${granted}, which was prolonged until ${timeWords(firstLeaseEnd)}`;
}
