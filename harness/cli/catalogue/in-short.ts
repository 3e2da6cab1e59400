import type { Property } from "../../core/verdict.ts";

/** Two letters for each property, for tables. */
const LETTERS: Readonly<Record<Property, string>> = {
  "mutual-exclusion": "ME",
  "lease-exclusion": "LE",
  "fencing-tokens": "FT",
  "stale-writes": "SW",
  "lost-updates": "LU",
  "owner-release": "OR",
  "deadlock-freedom": "DF",
  linearizability: "LI",
};

/** What the letters stand for, in one line. */
export const LEGEND = Object.entries(LETTERS)
  .map(([property, letters]) => `${letters} ${property}`)
  .join(", ");

/** Outcomes of properties, those with the same outcome together: `ME LU overrun; LE valid`. */
export function inShort(outcomes: readonly (readonly [Property, string])[]): string {
  const byOutcome = new Map<string, string[]>();
  for (const [property, outcome] of outcomes) {
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), LETTERS[property]]);
  }
  return [...byOutcome].map(([outcome, letters]) => `${letters.join(" ")} ${outcome}`).join("; ");
}
