/**
 * How often the incremental algorithm for linearizability and the general search agree: each judges the same random
 * histories, those of correct locks and falsified ones, against each model, the incremental one three times: it learns
 * each operation in time; all at once; and, as in the checker, from events, so that it knows an operation only when it
 * is completed. Every disagreement is a failure.
 */
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { Benchmark } from "../../bench/benchmark.ts";
import { renderTable, type Table } from "../../bench/table.ts";
import type { KeyProgress } from "./follower.ts";
import { LOCK_MODELS, lockModel, type LockOperation } from "./lock-models.ts";
import { followEvents, followLinearization } from "../testing/follow.ts";
import { isRegular, RANDOM_KINDS } from "../testing/random-kinds.ts";
import { moves, randomOperations, type RandomHistoryOptions } from "../testing/random-locks.ts";
import { type SearchOutcome, searchLinearization } from "./search/wgl.ts";

/**
 * Histories of each kind, with the usual effort; more where outcomes are unknown, because only those have shown rare
 * mistakes.
 */
const HISTORIES = 5000;
const HISTORIES_WITH_UNKNOWN = 20_000;
/** Longer than in the tests. */
const MAX_MOVES = 16;
const SEARCH_STEPS = 1_000_000;

interface Tally {
  histories: number;
  operations: number;
  comparisons: number;
  linearizable: number;
  not: number;
  /** The incremental algorithm gave up, and would leave the history to the general search. */
  undecided: number;
  /** Neither algorithm decided. */
  unsearched: number;
  readonly disagreements: string[];
}

function compare(operations: readonly LockOperation[], tally: Tally): void {
  tally.histories += 1;
  tally.operations += operations.length;
  for (const name of LOCK_MODELS) {
    const model = lockModel(name);
    const searched = searchLinearization(operations, model, SEARCH_STEPS);
    const events = followEvents(operations, name);
    const pairs: readonly (readonly [followed: SearchOutcome, searched: SearchOutcome])[] = [
      [followLinearization(operations, model, { lookAhead: false }), searched],
      [followLinearization(operations, model, { lookAhead: true }), searched],
      [outcomeOf(events.progress.state), events.search(SEARCH_STEPS)],
    ];
    for (const [incremental, general] of pairs) {
      count(tally, incremental, general);
      if (incremental === "unknown" || general === "unknown" || incremental === general) continue;
      tally.disagreements.push(`${name}: ${incremental}, but ${general}: ${JSON.stringify(operations)}`);
    }
  }
}

function count(tally: Tally, incremental: SearchOutcome, general: SearchOutcome): void {
  tally.comparisons += 1;
  if (general === "unknown") tally.unsearched += 1;
  if (incremental === "linearizable") tally.linearizable += 1;
  else if (incremental === "not-linearizable") tally.not += 1;
  else tally.undecided += 1;
}

function outcomeOf(state: KeyProgress["state"]): SearchOutcome {
  if (state === "general") return "unknown";
  return state === "following" ? "linearizable" : "not-linearizable";
}

function tallyOf(kind: RandomHistoryOptions, histories: number, seed: number): Tally {
  const tally: Tally = {
    histories: 0,
    operations: 0,
    comparisons: 0,
    linearizable: 0,
    not: 0,
    undecided: 0,
    unsearched: 0,
    disagreements: [],
  };
  // Histories in which operations of one owner overlap are for the general search alone; others take their place.
  for (let round = 0; tally.histories < histories; round += 1) {
    const sample = fc.sample(moves(kind), { numRuns: histories, seed: seed + round });
    for (const history of sample) {
      if (tally.histories >= histories) break;
      const operations = randomOperations(history, kind);
      if (operations.length > 0 && isRegular(operations)) compare(operations, tally);
    }
  }
  return tally;
}

function kindInWords({ fixedOwners, contention, unknown, lies, reentrant }: RandomHistoryOptions): string {
  return [
    fixedOwners ? "one owner value a client" : "fresh owner values",
    ...(contention ? ["contention"] : []),
    ...(unknown ? ["unknown outcomes"] : []),
    ...(reentrant ? ["re-entry"] : []),
    lies === 0 ? "true" : `one in ${lies} false`,
  ].join(", ");
}

export const benchmark: Benchmark = {
  *run({ effort, step, signal }): Generator<Table> {
    const tallies = RANDOM_KINDS.map((kind, index) => {
      signal.throwIfAborted();
      step(`kind ${index + 1} of ${RANDOM_KINDS.length}`);
      return {
        kind: kindInWords(kind),
        ...tallyOf(
          { ...kind, maxMoves: MAX_MOVES },
          (kind.unknown ? HISTORIES_WITH_UNKNOWN : HISTORIES) * effort,
          index * 1000,
        ),
      };
    });
    const sum = (of: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + of(tally), 0);
    const disagreements = tallies.flatMap(({ kind, disagreements: found }) => found.map((text) => `${kind}: ${text}`));
    const all = {
      kind: "all",
      histories: sum(({ histories }) => histories),
      operations: sum(({ operations }) => operations),
      comparisons: sum(({ comparisons }) => comparisons),
      linearizable: sum(({ linearizable }) => linearizable),
      not: sum(({ not }) => not),
      undecided: sum(({ undecided }) => undecided),
      unsearched: sum(({ unsearched }) => unsearched),
      disagreements: disagreements.length,
    };
    yield {
      title: "Agreement of the incremental algorithm with the general search",
      columns: [
        { key: "kind", title: "random histories" },
        { key: "histories", title: "histories" },
        { key: "operations", title: "operations" },
        { key: "comparisons", title: "comparisons" },
        { key: "linearizable", title: "linearizable" },
        { key: "not", title: "not" },
        { key: "undecided", title: "left to the search" },
        { key: "unsearched", title: "search gave up" },
        { key: "disagreements", title: "disagreements" },
      ],
      rows: [...tallies.map((tally) => ({ ...tally, disagreements: tally.disagreements.length })), all],
      notes: [
        "comparisons: each history against five models, the incremental algorithm without looking ahead, with it, and by events",
      ],
      failures: disagreements.slice(0, 10),
    };
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const input = { effort: 1, step: () => {}, signal: new AbortController().signal };
  for await (const table of benchmark.run(input)) process.stdout.write(renderTable(table));
}
