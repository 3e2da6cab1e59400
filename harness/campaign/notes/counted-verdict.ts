import type { History } from "../../history/history.ts";
import type { Verdict } from "../../core/verdict.ts";

/**
 * The verdict as a campaign counts it. A run is unknown when a fault of its plan was skipped, because its trigger never
 * came or its target was dead by then. If another fault was seen to take effect, and nothing else is in doubt, the run
 * proves as much as a run of the plan without the skipped faults, and counts as valid; the skipped faults become
 * remarks.
 */
export function countedVerdict(verdict: Verdict, { events }: History): Verdict {
  if (verdict.verdict !== "unknown") return verdict;
  const outcomes = events.flatMap((event) => (event.type === "fault" ? [event.value.outcome] : []));
  const skipped = outcomes.filter((outcome) => outcome === "skipped").length;
  const undecided = verdict.required.some((property) => verdict.properties[property]?.verdict === "unknown");
  if (undecided || skipped === 0 || skipped !== verdict.reasons.length || !outcomes.includes("installed"))
    return verdict;
  return { ...verdict, verdict: "valid", reasons: [], remarks: [...verdict.remarks, ...verdict.reasons] };
}
