import type { OperationName } from "../../harness/history/history.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import type { OperationSpan } from "../../harness/history/operation-spans.ts";
import type { Timeline } from "./timeline.ts";

/** Completions within one stretch of a run. Durations are nanoseconds. */
export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly ok: number;
  readonly fail: number;
  readonly info: number;
  readonly latencies: Readonly<Partial<Record<OperationName, LatencyQuantiles>>>;
}

/** Nearest-rank quantiles of the latency of successful operations. */
interface LatencyQuantiles {
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

/**
 * Divides a run into stretches of equal length by the time of completion. Operations without a completion count as
 * `info`.
 */
export function bucketsOf(timeline: Timeline, buckets: number): readonly Bucket[] {
  const length = Math.max(timeline.end, 1) / buckets;
  const groups = Array.from({ length: buckets }, (): OperationSpan[] => []);
  for (const span of timeline.operations) groups[Math.min(buckets - 1, Math.floor(span.to / length))]?.push(span);
  return groups.map((spans, index) => {
    const count = (outcome: OperationSpan["outcome"]): number =>
      spans.filter((span) => span.outcome === outcome).length;
    const succeeded = Map.groupBy(
      spans.filter(({ outcome }) => outcome === "ok"),
      ({ f }) => f,
    );
    return {
      from: index * length,
      to: (index + 1) * length,
      ok: count("ok"),
      fail: count("fail"),
      info: count("info"),
      latencies: Object.fromEntries(
        [...succeeded].map(([f, all]) => [f, quantiles(all.map(({ from, to }) => to - from))]),
      ),
    };
  });
}

function quantiles(values: readonly number[]): LatencyQuantiles {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), most: sorted.at(-1) ?? 0 };
}

/** The nearest-rank quantile of ascending values; 0 where there are none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/**
 * How much of its lease a hold had left when it ended, in nanoseconds; negative for one that outlived it. Holds cut off
 * by the end of the run are left out.
 */
export function marginsOf(holds: readonly HoldSpan[]): readonly number[] {
  return holds
    .filter(({ endedBy }) => endedBy !== "end of run")
    .map(({ leaseUntil, to }) => leaseUntil - to)
    .sort((a, b) => a - b);
}
