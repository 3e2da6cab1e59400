import { clientOf } from "../../history/clients.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";
import type { Judged } from "../run-campaign.ts";

/** The clients whose events prove that a required property was violated, by their number in the plan. */
export function clientsInViolations({
  verdict,
  record,
  plan,
}: Judged & { readonly record: RunRecord }): ReadonlySet<number> {
  const { events } = record.history;
  const violations = verdict.required.flatMap((property) => verdict.properties[property]?.violations ?? []);
  return new Set(
    violations.flatMap((violation) =>
      violation.events.flatMap((index) => {
        const process = events[index]?.process;
        return typeof process === "number" ? [clientOf(process, plan.clients.length)] : [];
      }),
    ),
  );
}
