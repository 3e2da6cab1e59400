/**
 * The cost of judging.
 *
 * Each row is a history of one lock that all clients want all the time. It is generated while it is judged, so the
 * memory is that of the checkers. `P8` is linearizability alone, `all` the eight properties together, both in processor
 * time, less the time to generate the history. `peak` is the highest heap in use while `all` ran, less the heap before,
 * uncollected garbage included. `WGL` is the general search on the same operations in the same process, with a limit on
 * its configurations: it stands for checkers that know nothing of locks. `--effort 10` goes to a million.
 */
import { fileURLToPath } from "node:url";
import type { Benchmark, BenchmarkInput } from "../../bench/benchmark.ts";
import { renderTable, type Table } from "../../bench/table.ts";
import { HistoryChecker, type CheckOptions } from "../check.ts";
import { KeyOperations } from "./key-operations.ts";
import { KeptRoom } from "./search/kept-operations.ts";
import { linearizability } from "../properties/linearizability.ts";
import { lockModel } from "./lock-models.ts";
import { syntheticEvents, syntheticHeader, type SyntheticOptions } from "../testing/synthetic-history.ts";

const WGL_CONFIGURATIONS = 50_000;
const WGL_OPERATIONS = 10_000;
/** The largest history with the usual effort; ten times the effort is ten times as much. */
const OPERATIONS = 100_000;

const COLUMNS: Table["columns"] = [
  { key: "operations", title: "operations" },
  { key: "clients", title: "clients" },
  { key: "contention", title: "contention" },
  { key: "unknown", title: "unknown" },
  { key: "events", title: "events" },
  { key: "linearizabilityMs", title: "P8 ms" },
  { key: "allMs", title: "all ms" },
  { key: "nsPerEvent", title: "ns/event" },
  { key: "peakMb", title: "peak MB" },
  { key: "wgl", title: "WGL" },
];

/** Milliseconds of processor time that `work` takes; unlike wall-clock time it does not depend on other processes. */
function timed(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function making(options: SyntheticOptions): { readonly ms: number; readonly events: number } {
  let events = 0;
  const ms = timed(() => {
    for (const event of syntheticEvents(options)) events += event.index >= 0 ? 1 : 0;
  });
  return { ms, events };
}

function judging(options: SyntheticOptions, checks: CheckOptions): { readonly ms: number; readonly peakMb: number } {
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const ms = timed(() => {
    const checker = new HistoryChecker(syntheticHeader(options), checks);
    for (const event of syntheticEvents(options)) {
      checker.push(event);
      if (event.index % 500 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed);
    }
    const verdict = checker.finish();
    if (verdict.verdict !== "valid") throw new Error(`a correct lock was found ${JSON.stringify(verdict)}`);
  });
  return { ms, peakMb: (peak - before) / 1e6 };
}

/** The general search on the same operations. */
function searching(options: SyntheticOptions, observeContention: boolean): string {
  if (options.operations > WGL_OPERATIONS) return "-";
  const operations = new KeyOperations(lockModel("owner-aware-mutex"), observeContention, new KeptRoom(Infinity));
  for (const event of syntheticEvents(options)) {
    if (event.type === "fault" || event.type === "audit" || (event.f !== "acquire" && event.f !== "release")) continue;
    if (event.type === "invoke") operations.invoke(event, false);
    else operations.complete(event);
  }
  operations.finish();
  let outcome = "";
  const ms = timed(() => {
    outcome = operations.search(WGL_CONFIGURATIONS);
  });
  return outcome === "linearizable" ? `${ms.toFixed(0)} ms` : outcome === "unknown" ? "gave up" : outcome;
}

function row(options: SyntheticOptions, observeContention: boolean): Table["rows"][number] {
  const { ms: makingMs, events } = making(options);
  const p8 = judging(options, { checkers: [linearizability({ observeContention })], observeContention });
  const all = judging(options, { observeContention });
  const allMs = Math.max(0, all.ms - makingMs);
  return {
    operations: options.operations,
    clients: options.clients,
    contention: observeContention ? "observed" : "ignored",
    unknown: `${options.indeterminate * 100} %`,
    events,
    linearizabilityMs: Math.max(0, p8.ms - makingMs),
    allMs,
    nsPerEvent: (allMs * 1e6) / events,
    peakMb: all.peakMb,
    wgl: searching(options, observeContention),
  };
}

/** The measurements of all histories of one length together. */
interface Total {
  readonly operations: number;
  readonly allMs: number;
}

/** How much more a longer history may cost than n log n, noise of short ones aside. */
const TOLERATED = 1.5;

function growthTable(totals: readonly Total[]): Table {
  const rows = totals.map(({ operations, allMs }, index) => {
    const before = totals[index - 1];
    if (before === undefined) return { operations, allMs };
    const expected = (operations * Math.log(operations)) / (before.operations * Math.log(before.operations));
    return { operations, allMs, growth: allMs / before.allMs, expected };
  });
  return {
    title: "Growth: all histories of one length together",
    columns: [
      { key: "operations", title: "operations" },
      { key: "allMs", title: "all ms" },
      { key: "growth", title: "times as much", digits: 1 },
      { key: "expected", title: "n log n would be", digits: 1 },
    ],
    rows,
    failures: rows.flatMap(({ operations, growth = 0, expected = Infinity }) =>
      growth > TOLERATED * expected
        ? [`${operations} operations cost ${growth.toFixed(1)} times as much as a tenth`]
        : [],
    ),
  };
}

function tableOf(operations: number, { step, signal }: Pick<BenchmarkInput, "step" | "signal">): Table {
  const rows: Table["rows"][number][] = [];
  for (const clients of [2, 10, 20, 100]) {
    for (const observeContention of [false, true]) {
      for (const indeterminate of [0, 0.01, 0.05]) {
        signal.throwIfAborted();
        step(`${operations} operations of ${clients} clients`);
        const refused = observeContention ? 0.5 : 0;
        rows.push(row({ seed: 1, clients, operations, indeterminate, refused }, observeContention));
      }
    }
  }
  return { title: `Judging a history of ${operations} operations`, columns: COLUMNS, rows };
}

export const benchmark: Benchmark = {
  *run({ effort, step, signal }): Generator<Table> {
    const totals: Total[] = [];
    for (let operations = 1000; operations <= OPERATIONS * effort; operations *= 10) {
      const table = tableOf(operations, { step, signal });
      totals.push({ operations, allMs: table.rows.reduce((sum, { allMs }) => sum + Number(allMs), 0) });
      yield table;
    }
    yield growthTable(totals);
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const effort = Number(process.argv[2] ?? 1);
  const input = { effort, step: () => {}, signal: new AbortController().signal };
  for await (const table of benchmark.run(input)) process.stdout.write(renderTable(table));
}
