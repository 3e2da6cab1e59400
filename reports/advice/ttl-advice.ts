import { inFigures } from "../../harness/core/words/in-figures.ts";
import { count, formatMs } from "../wording.ts";
import { quantile } from "../run/metrics.ts";
import { upperBound } from "../../harness/core/statistics/proportion.ts";

/** The confidence of the bounds. */
const CONFIDENCE = 0.95;
const TAIL = 0.999;
/** With fewer holds than this, one cannot say with that confidence that the longest hold exceeds the true P99.9. */
export const HOLDS_FOR_TAIL = Math.ceil(Math.log(1 - CONFIDENCE) / Math.log(TAIL));
/** How often a lease is renewed, so that one renewal may fail and be tried again. */
const RENEWALS_PER_TTL = 3;

/** A TTL from a rule of thumb, and what the recorded holds say about it. */
export interface TtlChoice {
  /** `3 x mean`, or all rules that give this TTL: `3 x mean and P99.9 + 20 %`. */
  readonly rule: string;
  readonly ttlMs: number;
  /** How many of the holds were longer. */
  readonly overruns: number;
  /** Their share, and the upper bound of the true share with 95 % confidence. */
  readonly overrunShare: number;
  readonly overrunShareAtMost: number;
  /** When to renew, where the lock can: after a third of the TTL, as the usual watchdogs do. */
  readonly renewEveryMs: number;
}

/** The TTL that recorded holds suggest for a lock. Times are milliseconds. */
export interface TtlAdvice {
  readonly holds: number;
  /** Holds that a crash or the end of the record cut off: their true length is not known. */
  readonly cutOff: number;
  readonly meanMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly longestMs: number;
  readonly marginShare: number;
  /** In ascending order of the TTL. */
  readonly choices: readonly TtlChoice[];
  /** The shortest TTL that satisfies both rules: at least 3 times the mean, and P99.9 with its margin. */
  readonly advised: TtlChoice;
  /** What a reader must know before trusting the advice. */
  readonly cautions: readonly string[];
  /** Ascending. */
  readonly durationsMs: readonly number[];
}

/**
 * The TTL by both rules of thumb: 3 to 5 times the mean hold, and P99.9 of the holds plus a margin.
 * @param marginShare the margin on P99.9: 0.2 for a fifth
 * @param planned how many of the holds are of plans that lockstorm ran; default: 0
 * @throws RangeError when there is no hold
 */
export function adviseTtl(
  durations: readonly number[],
  { marginShare, cutOff, planned = 0 }: { marginShare: number; cutOff: number; planned?: number },
): TtlAdvice {
  if (durations.length === 0) throw new RangeError("no hold was recorded");
  const sorted = Float64Array.from(durations).sort();
  const durationsMs = [...sorted];
  const meanMs = durationsMs.reduce((sum, each) => sum + each / durationsMs.length, 0);
  const p999Ms = quantile(durationsMs, TAIL);
  const choice = (rule: string, ms: number): TtlChoice => choiceOf(rule, roundUp(ms), durationsMs);
  const tail = choice(`P99.9 + ${Math.round(marginShare * 100)} %`, p999Ms * (1 + marginShare));
  const least = choice("3 x mean", 3 * meanMs);
  const choices = merged([least, choice("5 x mean", 5 * meanMs), tail]);
  const advised = choices.find(({ ttlMs }) => ttlMs === Math.max(tail.ttlMs, least.ttlMs)) ?? tail;
  return {
    holds: durationsMs.length,
    cutOff,
    meanMs,
    medianMs: quantile(durationsMs, 0.5),
    p99Ms: quantile(durationsMs, 0.99),
    p999Ms,
    longestMs: durationsMs.at(-1) ?? 0,
    marginShare,
    choices,
    advised,
    cautions: [...plannedCaution(planned, durationsMs.length), ...cautionsOf(durationsMs.length, cutOff, advised)],
    durationsMs,
  };
}

/** In ascending order; rules that give the same TTL are one choice. */
function merged(choices: readonly TtlChoice[]): readonly TtlChoice[] {
  const byTtl = new Map<number, TtlChoice>();
  for (const choice of choices) {
    const same = byTtl.get(choice.ttlMs);
    byTtl.set(choice.ttlMs, same === undefined ? choice : { ...same, rule: `${same.rule} and ${choice.rule}` });
  }
  return [...byTtl.values()].toSorted((one, other) => one.ttlMs - other.ttlMs);
}

function choiceOf(rule: string, ttlMs: number, ascending: readonly number[]): TtlChoice {
  const overruns = ascending.length - firstAbove(ascending, ttlMs);
  return {
    rule,
    ttlMs,
    overruns,
    overrunShare: overruns / ascending.length,
    overrunShareAtMost: upperBound({ hits: overruns, trials: ascending.length }, CONFIDENCE),
    renewEveryMs: Math.max(1, Math.floor(ttlMs / RENEWALS_PER_TTL)),
  };
}

/** Holds that a plan made up are measured like others, but nobody should take a TTL from them. */
function plannedCaution(planned: number, holds: number): readonly string[] {
  if (planned === 0) return [];
  const [what, lasted] =
    planned === 1
      ? ["is of a plan that lockstorm ran", "it lasted for as long as the plan says"]
      : ["are of plans that lockstorm ran", "they lasted for as long as the plans say"];
  return [
    `${inFigures(planned)} of ${count(holds, "hold")} ${what}: ${lasted}, which says nothing about an application. Give durations of yours: npx lockstorm advise - < durations.txt`,
  ];
}

function cautionsOf(holds: number, cutOff: number, advised: TtlChoice): readonly string[] {
  return [
    ...(holds < HOLDS_FOR_TAIL
      ? [
          `${count(holds, "hold")} ${holds === 1 ? "is" : "are"} too few to estimate P99.9: with fewer than ${inFigures(HOLDS_FOR_TAIL)} holds the longest one may be shorter than P99.9. Rely on the upper bound, not on the measured share.`,
        ]
      : []),
    ...(cutOff > 0
      ? [
          `${count(cutOff, "hold")} ${cutOff === 1 ? "has" : "have"} no known end (a crash, a lost lease or the end of the recording) and ${cutOff === 1 ? "is" : "are"} left out; some of these may have been long.`,
        ]
      : []),
    `At ${formatMs(advised.ttlMs * 1e6)} up to ${(advised.overrunShareAtMost * 100).toPrecision(2)} % of holds may outlive their lease. No TTL reduces this to zero: a paused client outlives any lease. A resource that checks fencing tokens rejects its late write.`,
  ];
}

/** How many of the ascending values are at most `limit`. */
function firstAbove(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Infinity) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Rounds up to two significant digits: a TTL of 1234.5 ms would pretend to a precision that it does not have. At least
 * 1.
 */
function roundUp(ms: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(ms, 1))) - 1);
  return Math.max(1, Math.ceil(Number((ms / unit).toPrecision(12))) * unit);
}
