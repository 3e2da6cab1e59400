import { clientOf } from "../harness/history/clients.ts";
import type { History } from "../harness/history/history.ts";
import type { Cause, Property, Verdict } from "../harness/core/verdict.ts";
import { requiredOf, type Expectation, type Scenario, type ExpectedEvent, type Variant } from "./scenario.ts";

/**
 * How a run of a scenario differs from what the catalogue says of this variant, one line each; empty if it is as
 * expected. Only the schedule itself may violate a property, and a run that proved nothing is never as expected.
 */
export function differences(
  scenario: Scenario,
  variant: Variant,
  { verdict, history }: { readonly verdict: Verdict; readonly history: History },
): readonly string[] {
  const { control, shows = [] } = scenario;
  const sightings =
    variant === "schedule" ? shows : variant === "control" && "plan" in control ? (control.shows ?? []) : [];
  return [
    ...verdict.reasons,
    ...requiredOf(scenario, variant).flatMap((property) => {
      const expected = variant === "schedule" ? (scenario.expected[property] ?? "valid") : "valid";
      const found = foundOf(verdict, property);
      return found === expectationWords(expected) ? [] : [`${property} is ${found}, not ${expectationWords(expected)}`];
    }),
    ...sightings
      .filter((sighting) => !isSeen(history, sighting))
      .map(({ event, client }) => `there was no ${event} of client ${client}`),
  ];
}

/** The outcome of a property: `valid`, the causes of its violations, or why nothing can be said. */
export function foundOf({ properties }: Verdict, property: Property): string {
  const found = properties[property];
  if (found === undefined) return "not checked";
  return found.verdict === "invalid" ? expectationWords(found.violations.map(({ cause }) => cause)) : found.verdict;
}

/** An expectation in words: `valid`, or the causes, each once, in alphabetical order. */
export function expectationWords(expectation: Expectation): string {
  if (expectation === "valid") return "valid";
  const causes: readonly Cause[] = typeof expectation === "string" ? [expectation] : expectation;
  return [...new Set(causes)].toSorted().join(" and ");
}

function isSeen({ header, events }: History, { event, client }: ExpectedEvent): boolean {
  const clients = header.clients ?? 1;
  return events.some(
    ({ process, f, type }) =>
      typeof process === "number" && clientOf(process, clients) === client && `${f}:${type}` === event,
  );
}
