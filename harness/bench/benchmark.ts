import type { Table } from "./table.ts";

/** A benchmark: it measures and yields one table after another, each as soon as it is complete. */
export interface Benchmark {
  run(input: BenchmarkInput): AsyncIterable<Table> | Iterable<Table>;
}

export interface BenchmarkInput {
  /**
   * How many times the usual amount of work to do, 1 or more: more gives narrower spreads, larger histories, longer
   * searches.
   */
  readonly effort: number;
  /** Says what is being done now. */
  readonly step: (text: string) => void;
  /** Aborted by Ctrl-C: clean up and end. */
  readonly signal: AbortSignal;
}
