import type { Hypothesis } from "../../core/verdict.ts";
import type { AuditEvent } from "../../history/history.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { faultInWords } from "../words.ts";

/** The faults between two accepted writes by which the resource forgot the fencing tokens that it had accepted. */
export function forgottenFences(
  one: AuditEvent | undefined,
  other: AuditEvent | undefined,
  { faults }: SharedEvidence,
): readonly Hypothesis[] {
  if (one === undefined || other === undefined) return [];
  const [from, to] = one.time <= other.time ? [one.time, other.time] : [other.time, one.time];
  return faults
    .during(({ loses }) => loses === "fences", from, to)
    .map((fault) => ({
      cause: "stale-accepted",
      fault: fault.index,
      accused: faultInWords(fault),
      events: [],
      why: `in ${faultInWords(fault)} the resource forgot which fencing tokens it had accepted`,
      ground: { on: "faults", faults: [fault.index] },
      remedies: [],
    }));
}
