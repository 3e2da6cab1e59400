import type { Property, Violation } from "../core/verdict.ts";
import type { History } from "../history/history.ts";
import type { JudgedRun } from "./changed-run.ts";

/** A violation and the property that it violates. */
export interface Subject {
  readonly property: Property;
  readonly violation: Violation;
}

/**
 * What runs have to decide about a violation. Two grants whose leases overlap violate several properties: two clients
 * hold the lock, the lock promised it twice, no order explains the answers, an update is lost. That is one event with one
 * cause. So runs are asked whether the lock breaks its promise there. A count of the times at which two clients held it
 * would also count those at which one of them outlived its lease, and give the event another cause.
 */
export function subjectOf({ verdict, history }: JudgedRun, property: Property, violation: Violation): Subject {
  const promises = verdict.properties["lease-exclusion"]?.violations ?? [];
  const grants = grantsOf(violation, history);
  const promise =
    grants === undefined
      ? promises.findLast((other) => ledTo(other, violation, history))
      : promises.find((other) => grantsOf(other, history) === grants);
  return promise === undefined ? { property, violation } : { property: "lease-exclusion", violation: promise };
}

/** The grants that a violation is about, if there are several. */
function grantsOf(violation: Violation, history: History): string | undefined {
  const grants = grantsIn(violation, history);
  return grants.length < 2 ? undefined : grants.join(" ");
}

function grantsIn({ events, finding }: Violation, history: History): readonly number[] {
  return (finding?.events ?? events).filter((index) => {
    const event = history.events[index];
    return event?.type === "ok" && event.f === "acquire";
  });
}

/**
 * Whether a violation names no grants, and has the causes of this broken promise: its writes are of the two owners, and the
 * last one came after both grants. A lock may use an owner value again: later grants to the same two are another promise.
 */
function ledTo(promise: Violation, { events, finding, hypotheses }: Violation, history: History): boolean {
  const { holders = [] } = promise;
  const shown = finding?.events ?? events;
  const owners = shown.flatMap((index) => {
    const event = history.events[index];
    return event?.f === "write" && (event.type === "invoke" || event.type === "audit") ? [event.value.owner] : [];
  });
  const last = shown.findLast((index) => history.events[index]?.type === "invoke") ?? shown.at(-1) ?? 0;
  return (
    grantsIn(promise, history).every((grant) => grant < last) &&
    holders.length > 0 &&
    holders.every(({ owner }) => owners.includes(owner)) &&
    JSON.stringify(hypotheses) === JSON.stringify(promise.hypotheses)
  );
}
