import type { AuditEvent, FaultEvent } from "../core/history.ts";
import type { PropertyVerdict, Violation } from "../core/verdict.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { eventList, Findings, notApplicable, unknown, VALID } from "./findings.ts";
import { RemarkList } from "./remark-list.ts";
import type { Step } from "./step.ts";
import { faultInWords, shortOwner } from "./words.ts";

/** The accepted write with the largest fencing token of one resource. */
interface Accepted {
  readonly fence: number;
  readonly event: AuditEvent;
}

/**
 * P4, no stale write: in the order in which a resource applied them, the fencing tokens of accepted writes never
 * decrease, and no two owners' accepted writes carry an equal one. Writes without a fencing token do not count.
 *
 * That nothing is accepted after a larger fencing token was merely *granted* is more than fencing promises (Kleppmann
 * 2016; the larger one's owner may not have written yet). Such writes, and those the resource refused, are remarks.
 */
export const staleWrites: CheckerFactory = {
  property: "stale-writes",
  create: (evidence) => new StaleWrites(evidence),
};

class StaleWrites implements Checker {
  readonly #evidence: Evidence;
  readonly #findings = new Findings("stale-writes");
  readonly #remarks = new RemarkList("more stale writes are not listed");
  readonly #largest = new Map<string, Accepted>();
  readonly #granted = new Map<string, number>();
  readonly #grantedAtWrite = new Map<number, number>();
  #fenced = 0;
  #audited = false;
  #acknowledged = false;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return [...this.#findings.remarks, ...this.#remarks.all];
  }

  push({ event, invocation }: Step): void {
    if (event.type === "audit") this.#audit(event);
    else if (event.type === "ok" && event.f === "acquire" && event.value.fence !== undefined) {
      this.#granted.set(event.key, Math.max(this.#granted.get(event.key) ?? -Infinity, event.value.fence));
    } else if (event.type === "invoke" && event.f === "write") {
      const granted = this.#granted.get(event.key);
      if (granted !== undefined) this.#grantedAtWrite.set(event.process, granted);
    } else if (event.type !== "fault" && event.f === "write") {
      const granted = this.#grantedAtWrite.get(event.process);
      this.#grantedAtWrite.delete(event.process);
      if (event.type !== "ok" || invocation?.f !== "write") return;
      const { fence, data } = invocation.value;
      if (fence === undefined) return;
      this.#acknowledged = true;
      if (granted !== undefined && fence < granted) {
        this.#remarks.add(
          `write ${data} with fencing token ${fence} was accepted after ${granted} had been granted: fencing does not prevent that`,
        );
      }
    }
  }

  finish(): PropertyVerdict {
    if (this.#fenced > 0) return this.#findings.verdict(VALID);
    if (this.#acknowledged && !this.#audited) {
      return unknown("writes were acknowledged, but the history does not say in which order the resource applied them");
    }
    return notApplicable("no write with a fencing token reached the resource");
  }

  #audit(event: AuditEvent): void {
    this.#audited = true;
    const { fence, accepted, owner, data } = event.value;
    if (fence === undefined) return;
    this.#fenced += 1;
    const largest = this.#largest.get(event.key);
    if (!accepted) {
      const after = largest === undefined ? "" : ` after ${largest.fence} was accepted`;
      this.#remarks.add(`write ${data} with fencing token ${fence} was refused${after}`);
      return;
    }
    if (largest !== undefined && fence < largest.fence) this.#findings.add(() => this.#describe(largest, event, fence));
    else if (largest !== undefined && fence === largest.fence && owner !== largest.event.value.owner) {
      this.#findings.add(() => this.#describe(largest, event, fence));
    }
    if (largest === undefined || fence > largest.fence) this.#largest.set(event.key, { fence, event });
  }

  #describe(largest: Accepted, event: AuditEvent, fence: number): Violation {
    const write = ({ value }: AuditEvent): string =>
      `write ${value.data} (owner ${shortOwner(value.owner ?? "unknown")})`;
    const stale = fence < largest.fence;
    const fault = this.#enablingFault();
    const told = fault === undefined ? "" : ` The run had seen ${faultInWords(fault)}.`;
    return {
      events: eventList(largest.event.index, event.index, fault?.index),
      cause: "stale-accepted",
      ...(fault === undefined ? {} : { fault: fault.index }),
      explanation: stale
        ? `The resource behind ${event.key} accepted ${write(event)} with fencing token ${fence} at position ${event.value.position}, after it had accepted ${write(largest.event)} with ${largest.fence} at position ${largest.event.value.position}: a holder whose lease was over wrote over its successor. The resource must refuse a fencing token lower than the largest it has accepted, and remember that one as durably as the data.${told}`
        : `The resource behind ${event.key} accepted ${write(event)} with fencing token ${fence}, the same as that of ${write(largest.event)}: two owners share a fencing token, and the resource cannot tell which is the later. It must refuse an equal fencing token from another owner.${told}`,
    };
  }

  /** What made a holder late; a fault of the resource itself would come before it. */
  #enablingFault(): FaultEvent | undefined {
    const { faults, endTime } = this.#evidence;
    for (const kinds of [
      ["pause-client"],
      ["latency", "stall", "partition"],
      ["promotion", "restart-node", "clock-jump"],
    ]) {
      const found = faults.during(kinds, 0, endTime).at(0);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
