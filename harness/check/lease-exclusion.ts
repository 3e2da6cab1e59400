import type { PropertyVerdict, Violation } from "../core/verdict.ts";
import { diagnose } from "./causes.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { eventList, Findings, notApplicable, VALID } from "./findings.ts";
import { holder } from "./mutual-exclusion.ts";
import { OpenOverlaps, type Overlap } from "./overlaps.ts";
import { grantOf, type Completion, type Invocation, type Step } from "./step.ts";
import type { Taking } from "./takings.ts";
import { faultInWords, holderOf, ms } from "./words.ts";

type Granting = Extract<Completion, { f: "acquire" | "extend"; type: "ok" }>;

/**
 * P2, lease exclusion, which blames the lock and never the client: no two owners hold leases of the same key at the same
 * time. A lease is a definite hold cut where the lock's promise ends, on the true clock: at the validity it reported,
 * or, where it reports none, the TTL after the invocation. A grant that is no longer valid when it is made violates it
 * by itself.
 */
export const leaseExclusion: CheckerFactory = {
  property: "lease-exclusion",
  create: (evidence) => new LeaseExclusion(evidence),
};

class LeaseExclusion implements Checker {
  readonly #evidence: Evidence;
  readonly #findings = new Findings("lease-exclusion");
  readonly #overlaps = new OpenOverlaps((overlap) => this.#conclude(overlap));
  #grants = 0;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return this.#findings.remarks;
  }

  push(step: Step): void {
    const { event, invocation } = step;
    if (grantOf(event, invocation) !== undefined) this.#grants += 1;
    if (event.type === "ok" && (event.f === "acquire" || event.f === "extend") && invocation !== undefined) {
      this.#refuseExpired(event, invocation);
    }
    for (const overlap of step.leaseOverlaps) this.#overlaps.begin(overlap);
    this.#overlaps.push(step);
  }

  finish(): PropertyVerdict {
    this.#overlaps.finish();
    return this.#findings.verdict(this.#grants === 0 ? notApplicable("no lock was ever granted") : VALID);
  }

  #refuseExpired(event: Granting, invocation: Invocation): void {
    const { validForMs } = event.value;
    if (validForMs === undefined || validForMs > 0) return;
    this.#findings.add(() => {
      const { faults, holds, header } = this.#evidence;
      const pause = faults
        .during(["pause-client"], invocation.time, event.time)
        .find(({ value }) => value.processes?.some((process) => holds.sameClient(process, event.process)));
      const stopped = pause === undefined ? "" : ` It had been stopped meanwhile: ${faultInWords(pause)}.`;
      const granted = event.f === "acquire" ? "granted" : "prolonged";
      return {
        events: eventList(invocation.index, event.index, pause?.index),
        cause: "expired-grant",
        ...(pause === undefined ? {} : { fault: pause.index }),
        explanation:
          `${holderOf(header, { ...event.value, process: event.process, fence: event.value.fence })} asked for ${event.key} at ${ms(invocation.time)} ` +
          `and was ${granted} it at ${ms(event.time)} with a validity of ${validForMs} ms: the lease was over before its holder ` +
          `knew of it.${stopped} The lock must compare the elapsed time with the TTL and refuse.`,
      };
    });
  }

  #conclude(overlap: Overlap): void {
    const takings = this.#evidence.takings.of(overlap.first.key);
    this.#findings.add(() => this.#describe(overlap, takings));
  }

  #describe(overlap: Overlap, takings: readonly Taking[]): Violation {
    const { header, endTime } = this.#evidence;
    const { first, second, from, index } = overlap;
    const to = Math.max(
      from,
      Math.min(...[first, second].flatMap(({ leaseEnd, end }) => [leaseEnd, end?.time ?? endTime])),
    );
    const { cause, fault, events, why } = diagnose(overlap, true, this.#evidence, takings);
    const lease = overlap.extended === first ? first.grantedLeaseEnd : overlap.firstLeaseEnd;
    return {
      events: eventList(first.grantedIndex, second.grantedIndex, index, fault?.index, ...events),
      cause,
      holders: [holder(first), holder(second)],
      overlap: { from, to },
      ...(fault === undefined ? {} : { fault: fault.index }),
      explanation:
        `The lock had promised ${first.key} to two owners at the same time, for ${ms(to - from)} from ${ms(from)} on. ` +
        `${holderOf(header, first)} was granted it at ${ms(first.grantedTime)}, with a lease until ${ms(lease)}; ` +
        `${holderOf(header, second)} was granted it at ${ms(second.grantedTime)}. ${why}.`,
    };
  }
}
