import type { MeasuredCell, MeasuredDebate, PropertyCount } from "../../harness/core/measurement.ts";

function cell(row: string, x: number, lease: PropertyCount, stale: PropertyCount): MeasuredCell {
  return { row, column: String(x), x, runs: 8, met: 8, counts: { "lease-exclusion": lease, "stale-writes": stale } };
}

const nothing = { violated: 0, judged: 0 };

/** A measured dispute of one experiment: a prediction that holds, one that does not, and a surprise. */
export function aDebate(): MeasuredDebate {
 return {
  seed: 3,
  runs: 8,
  sources: {
    kleppmann: { name: "one text", link: "https://example.org/one" },
    antirez: { name: "the other", link: "https://example.org/other" },
  },
  experiments: [
    {
      id: "sample",
      question: "Does <it> hold?",
      says: { kleppmann: "No.", antirez: "Yes & always." },
      rowAxis: "lock",
      columnAxis: "rate",
      properties: ["lease-exclusion", "stale-writes"],
      cells: [
        cell("slow", 1.0125, { violated: 0, judged: 8, expected: "never" }, nothing),
        cell("slow", 2, { violated: 2, judged: 8, expected: "never" }, nothing),
        cell("fast", 1.0125, { violated: 8, judged: 8, expected: "sometimes" }, { violated: 0, judged: 4 }),
      ],
      predictions: [
        { by: "kleppmann", claim: "it breaks", holds: true, expected: true },
        { by: "antirez", claim: "it lasts", holds: false, expected: true },
      ],
      verdict: "It broke.",
      surprises: ["slow, 2: lease-exclusion violated in 2 of 8 runs, expected never"],
    },
  ],
};
}
