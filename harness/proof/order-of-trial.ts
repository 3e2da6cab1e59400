import type { Hypothesis } from "../core/verdict.ts";
import type { History } from "../history/history.ts";

/**
 * In which order hypotheses are tried. Foreign releases that reported success come first: a run without such a release shows
 * whether it took the lock, and a fault that led to the grant before it does not explain that the lock was taken. Two kinds
 * stay where they are, because the release may have been rightful: if a client may have outlived its lease, and if its owner
 * was granted the lock in the hold that it is said to have ended. The holder had lost the lock before, or that grant came late.
 */
export function inOrderOfTrial(hypotheses: readonly Hypothesis[], { events }: History): readonly Hypothesis[] {
  const overrun = hypotheses.findIndex(({ cause }) => cause === "overrun");
  const reported = hypotheses.filter(
    ({ cause, events: shown, ground }, position) =>
      cause === "foreign-release" &&
      ground.on === "operation" &&
      ground.isPerhapsRightful !== true &&
      events[shown.at(-1) ?? -1]?.type === "ok" &&
      (overrun === -1 || position < overrun),
  );
  return [...reported, ...hypotheses.filter((hypothesis) => !reported.includes(hypothesis))];
}
