import type { Margins } from "../../harness/core/verdict.ts";
import { isEndless } from "../../harness/history/holds/endless-lease.ts";
import { formatMs } from "../wording.ts";

/** How close a run came to a violation, one line for each measure that it has. */
export function marginWords(margins: Margins | undefined): readonly string[] {
  const { smallestGap, smallestValidityLeft, largestPause, mostPassed } = margins ?? {};
  const left = smallestValidityLeft?.nanoseconds;
  return [
    ...(smallestGap === undefined
      ? []
      : [`shortest time between two holds of a lock: ${formatMs(smallestGap.nanoseconds)}`]),
    ...(left === undefined || isEndless(left)
      ? []
      : [
          left < 0
            ? `a lease was over ${formatMs(-left)} before its release`
            : `least lease left at a release: ${formatMs(left)}`,
        ]),
    ...(largestPause === undefined
      ? []
      : [`longest time that a client or a node did not run: ${formatMs(largestPause.nanoseconds)}`]),
    ...(mostPassed === undefined
      ? []
      : [`most grants to clients that asked later than one that was waiting: ${mostPassed.grants}`]),
  ];
}
