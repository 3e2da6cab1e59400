import { lettersOf, PROPERTIES, type Property } from "../../core/verdict.ts";

/** Explains the letters, in one paragraph; no line breaks between letters and their meaning. */
export const LEGEND = PROPERTIES.map((property) => `${lettersOf(property)}\u{a0}${property}`).join(", ");

/** Outcomes of properties, grouped by outcome: `ME LU overrun; LE valid`. */
export function inShort(outcomes: readonly (readonly [Property, string])[]): string {
  const byOutcome = new Map<string, string[]>();
  for (const [property, outcome] of outcomes) {
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), lettersOf(property)]);
  }
  return [...byOutcome].map(([outcome, letters]) => `${letters.join(" ")} ${outcome}`).join("; ");
}
