import type { Item, RunModel } from "./run-model.ts";
import type { TimeView } from "./time-view.ts";

/** The operations of one name that were under way in a stretch of a run. Latencies are nanoseconds, of those that ended `ok`. */
export interface SpanFigures {
  readonly f: string;
  readonly ok: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly latency?: { readonly median: number; readonly most: number };
}

/** Counts what was under way in the stretch shown, in the lanes shown. */
export function figuresOf(
  { lanes }: RunModel,
  view: TimeView,
  hiddenLanes: ReadonlySet<number>,
): readonly SpanFigures[] {
  const { from, to } = view;
  const shown = lanes.filter(({ index }) => !hiddenLanes.has(index)).flatMap(({ operations }) => operations);
  const within = shown.filter((item) => item.to >= from && item.from <= to);
  return [...Map.groupBy(within, ({ f = "" }) => f)].map(([f, operations]) => {
    const count = (outcome: string): number => operations.filter((item) => item.outcome === outcome).length;
    const figures = { f, ok: count("ok"), refused: count("fail"), unanswered: count("info") };
    return figures.ok === 0 ? figures : { ...figures, latency: latencyOf(operations) };
  });
}

function latencyOf(operations: readonly Item[]): { readonly median: number; readonly most: number } {
  const sorted = operations.filter(({ outcome }) => outcome === "ok").map(({ from, to }) => to - from);
  sorted.sort((one, other) => one - other);
  return { median: sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, most: sorted.at(-1) ?? 0 };
}
