import type { Hypothesis } from "../core/verdict.ts";
import type { History } from "../history/history.ts";

/**
 * In which order hypotheses are tried. Foreign releases that reported success come first: a run without such a release shows
 * whether it took the lock, and a fault that led to the grant before it does not explain that the lock was taken.
 */
export function inOrderOfTrial(hypotheses: readonly Hypothesis[], { events }: History): readonly Hypothesis[] {
  const reported = hypotheses.filter(
    ({ cause, events: shown, ground }) =>
      cause === "foreign-release" && ground.on === "operation" && events[shown.at(-1) ?? -1]?.type === "ok",
  );
  return [...reported, ...hypotheses.filter((hypothesis) => !reported.includes(hypothesis))];
}
