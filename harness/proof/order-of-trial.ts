import type { Hypothesis } from "../core/verdict.ts";
import type { History } from "../history/history.ts";

/**
 * In which order hypotheses are tried. Foreign releases that reported success come first: a run without such a release shows
 * whether it took the lock, and a fault that led to the grant before it does not explain that the lock was taken. If a client
 * may have outlived its lease, the release may have been rightful, and stays behind that.
 */
export function inOrderOfTrial(hypotheses: readonly Hypothesis[], { events }: History): readonly Hypothesis[] {
  const overrun = hypotheses.findIndex(({ cause }) => cause === "overrun");
  const reported = hypotheses.filter(
    ({ cause, events: shown, ground }, position) =>
      cause === "foreign-release" &&
      ground.on === "operation" &&
      events[shown.at(-1) ?? -1]?.type === "ok" &&
      (overrun === -1 || position < overrun),
  );
  return [...reported, ...hypotheses.filter((hypothesis) => !reported.includes(hypothesis))];
}
