/** Heap in use over thousands of whole simulated runs in one process, each figure after a full collection. */
import type { Benchmark } from "./benchmark.ts";
import { heapsOverRuns, TOPOLOGIES_IN_TURN } from "./heap-over-runs.ts";
import type { Table } from "./table.ts";

const RUNS = 10_000;
const EVERY = 1000;
/** How much caches and compiled code may add after the first thousand runs. */
const MOST_GROWTH_MB = 3;

export const benchmark: Benchmark = {
  async *run({ effort, step, signal }): AsyncGenerator<Table> {
    const rows: { readonly runs: number; readonly heapMb: number }[] = [];
    for await (const heap of heapsOverRuns({ runs: RUNS * effort, every: EVERY })) {
      signal.throwIfAborted();
      rows.push(heap);
      step(`${heap.runs} of ${RUNS * effort} runs`);
    }
    const [warm] = rows;
    const growthMb = Math.max(...rows.map(({ heapMb }) => heapMb)) - (warm?.heapMb ?? 0);
    yield {
      title: `Heap in use over ${RUNS * effort} runs in one process`,
      columns: [
        { key: "runs", title: "runs" },
        { key: "heapMb", title: "heap in use, MB", digits: 1 },
      ],
      rows,
      notes: [`Small plans with a fault each, on ${TOPOLOGIES_IN_TURN.join(", ")} in turn.`],
      failures:
        growthMb < MOST_GROWTH_MB ? [] : [`the heap grew by ${growthMb.toFixed(1)} MB after the first thousand`],
    };
  },
};
