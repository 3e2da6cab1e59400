import { inFigures } from "../../harness/core/words/in-figures.ts";
import { count, formatMs } from "../wording.ts";
import type { TtlAdvice, TtlChoice } from "./ttl-advice.ts";

/** Milliseconds as reports write them. */
export function formatMilliseconds(value: number): string {
  return formatMs(value * 1e6);
}

/** A share as `0.12 %`. */
export function percent(share: number): string {
  return share === 0 ? "0 %" : `${Number((share * 100).toPrecision(2))} %`;
}

/** Head and rows of the table of choices. */
export const CHOICE_HEAD = ["rule", "TTL", "overruns", "at most (95 %)", "renew every"] as const;

/** A choice as a row of `CHOICE_HEAD`. */
export function choiceRow({ rule, ttlMs, overruns, overrunShare, overrunShareAtMost, renewEveryMs }: TtlChoice) {
  return [
    rule,
    formatMilliseconds(ttlMs),
    `${inFigures(overruns)} (${percent(overrunShare)})`,
    percent(overrunShareAtMost),
    formatMilliseconds(renewEveryMs),
  ] as const;
}

/** What was measured, on one line. */
export function holdsLine({ holds, meanMs, medianMs, p99Ms, p999Ms, longestMs }: TtlAdvice): string {
  return `${count(holds, "hold")}: mean ${formatMilliseconds(meanMs)}, median ${formatMilliseconds(medianMs)}, P99 ${formatMilliseconds(p99Ms)}, P99.9 ${formatMilliseconds(p999Ms)}, longest ${formatMilliseconds(longestMs)}`;
}

/** The advice in a sentence. */
export function adviceLine({ advised, choices }: TtlAdvice): string {
  const also = choices.find(({ rule }) => rule === "5 x mean");
  const more =
    also !== undefined && also.ttlMs > advised.ttlMs
      ? ` (up to ${formatMilliseconds(also.ttlMs)}, 5 times the mean, is usual)`
      : "";
  return `Take a TTL of ${formatMilliseconds(advised.ttlMs)}${more}: ${advised.rule}. Where the lock renews, renew every ${formatMilliseconds(advised.renewEveryMs)}.`;
}
