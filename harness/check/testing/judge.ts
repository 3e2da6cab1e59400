import type { Property, Violation } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import type { Recording } from "./recording.ts";

/** The outcome of one property, with the causes and events of its violations: `invalid: overrun 1,4,6`. */
export function judge(property: Property, recording: Recording): string {
  const found = checkHistory(recording.history).properties[property];
  const violations = violationsOf(property, recording).map(({ cause, events }) => `${cause} ${events.join()}`);
  return [`${found?.verdict}`, ...violations].join("; ");
}

export function violationsOf(property: Property, recording: Recording): readonly Violation[] {
  return checkHistory(recording.history).properties[property]?.violations ?? [];
}
