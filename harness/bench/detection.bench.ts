/** How soon each flawed lock is caught in simulation, and how small its counterexample becomes; for several seeds. */
// First: libraries store functions of the platform when they are loaded.
import { DETECTION_RUNS, lostProperties, searchLimit } from "../campaign/limit-search.ts";
import { locks } from "../../lock-impl/registry.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import type { Benchmark, BenchmarkInput } from "./benchmark.ts";
import type { Table } from "./table.ts";

const SEEDS = 3;
/** As many as a hunt takes. */
const SHRINK_RUNS = 500;

/** One lock, one seed. */
interface Detection {
  readonly runs: number;
  readonly firstMs: number;
  readonly events: number;
  readonly clients: number;
  readonly faults: number;
  readonly lost: readonly string[];
}

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const rows: Table["rows"][number][] = [];
    const failures: string[] = [];
    for (const lock of locks.filter(({ flawed }) => flawed)) {
      const found = await detections(lock, input);
      const seeds = SEEDS * input.effort;
      if (found.length < seeds)
        failures.push(`${lock.name}: ${seeds - found.length} of ${seeds} seeds did not find it`);
      rows.push({
        lock: lock.name,
        flaw: lock.flaw ?? "",
        under: lock.lesson.shows.under,
        lost: [...new Set(found.flatMap(({ lost }) => lost))].join(", "),
        found: `${found.length} of ${seeds}`,
        runs: found.map(({ runs }) => runs),
        firstMs: found.map(({ firstMs }) => firstMs),
        events: found.map(({ events }) => events),
        clients: found.map(({ clients }) => clients),
        faults: found.map(({ faults }) => faults),
        bound: DETECTION_RUNS,
      });
    }
    yield {
      title: "Flawed locks in simulation: from the start of the search, median [least..most] over the seeds",
      columns: [
        { key: "lock", title: "lock" },
        { key: "flaw", title: "bug" },
        { key: "under", title: "under" },
        { key: "lost", title: "lost" },
        { key: "found", title: "seeds" },
        { key: "runs", title: "runs to first" },
        { key: "firstMs", title: "ms to first" },
        { key: "events", title: "events" },
        { key: "clients", title: "clients" },
        { key: "faults", title: "faults" },
        { key: "bound", title: "bound on runs" },
      ],
      rows,
      notes: [
        `At most ${DETECTION_RUNS} runs for each seed, and ${SHRINK_RUNS} to shrink. The bound is what the tests enforce.`,
        "Events, clients and faults are those of the counterexample that a hunt prints: shrunk, and failing with most other seeds.",
      ],
      failures,
    };
  },
};

async function detections(lock: LockEntry, { effort, step, signal }: BenchmarkInput): Promise<readonly Detection[]> {
  const found: Detection[] = [];
  for (let seed = 1; seed <= SEEDS * effort; seed += 1) {
    step(`${lock.name}, seed ${seed}`);
    const detection = await detect(lock, seed, signal);
    if (detection !== undefined) found.push(detection);
    signal.throwIfAborted();
  }
  return found;
}

async function detect(lock: LockEntry, seed: number, signal: AbortSignal): Promise<Detection | undefined> {
  const startMs = performance.now();
  let firstMs: number | undefined;
  const { runs, counterexample } = await searchLimit(lock, lock.lesson.shows, {
    seed,
    runs: DETECTION_RUNS,
    shrinkRuns: SHRINK_RUNS,
    lasts: true,
    signal,
    onRun: ({ verdict }) => {
      if (verdict.verdict === "invalid") firstMs ??= performance.now() - startMs;
    },
  });
  if (counterexample === undefined || firstMs === undefined) return undefined;
  const { run } = counterexample;
  const { clients, faults } = run.plan;
  const events = run.record.history.events.length;
  return { runs, firstMs, events, clients: clients.length, faults: faults.length, lost: lostProperties(run) };
}
