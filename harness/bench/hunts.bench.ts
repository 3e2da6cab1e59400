/**
 * How many runs a default hunt needs until it catches each flawed lock. Nobody tells it the fault: it uses all that the
 * topology has. Beside it: its random part alone, and its systematic part alone. `LOCKSTORM_LOCKS=a,b` takes only some
 * locks, `LOCKSTORM_WAYS=hunt` only some searches, and `LOCKSTORM_SEED=1000` begins with another seed.
 */
// First: libraries store functions of the platform when they are loaded.
import { runSimulated, type SimulatedRun } from "../campaign/run-simulated.ts";
import { kindOf } from "../../faults/fault-classes.ts";
import { faultsFor } from "../campaign/possible-faults.ts";
import { huntSource } from "../campaign/hunt/hunt-source.ts";
import { requiredProperties } from "../campaign/required-properties.ts";
import { search } from "../campaign/search.ts";
import { learnSimulated } from "../campaign/systematic/learn.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import { locks } from "../../lock-impl/registry.ts";
import type { Plan } from "../core/plan.ts";
import { topologySchema } from "../core/topology.ts";
import { PROPERTIES, type Property } from "../core/verdict.ts";
import type { Benchmark, BenchmarkInput } from "./benchmark.ts";
import { geometricMean, quartiles, superiority } from "./statistics.ts";
import type { Table } from "./table.ts";

const SEEDS = 1;
/** As many as a hunt tries by default. */
const RUNS = 1000;

/** A way to search. `learns`: it is systematic first. `runs`: the most plans that it tries. */
const WAYS = [
  { way: "hunt", learns: true, runs: RUNS },
  { way: "random alone", learns: false, runs: RUNS },
  // Before its last run a hunt has tried fewer systematic plans than this.
  { way: "systematic alone", learns: true, runs: 600 },
] as const;
type Way = (typeof WAYS)[number];

interface Outcome {
  /** One more than the most, where nothing was found. */
  readonly runs: number;
  readonly seed: number;
  readonly isFound: boolean;
  readonly tried: number;
  readonly unknown: number;
}

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const flawed = locks.filter(({ name, flawed }) => flawed && isWanted("LOCKSTORM_LOCKS", name));
    const ways = WAYS.filter(({ way }) => isWanted("LOCKSTORM_WAYS", way));
    const found = new Map<Way, Outcome[]>(ways.map((way) => [way, []]));
    const rows: Table["rows"][number][] = [];
    const missed: string[] = [];
    for (const lock of flawed) {
      const row: Record<string, string | readonly number[]> = { lock: lock.name };
      for (const way of ways) {
        const outcomes = await outcomesOf(lock, way, input);
        found.get(way)?.push(...outcomes);
        const misses = outcomes.filter(({ isFound }) => !isFound).map(({ seed }) => `${lock.name} with seed ${seed}`);
        if (way === WAYS[0]) missed.push(...misses);
        row[way.way] = outcomes.filter(({ isFound }) => isFound).map(({ runs }) => runs);
      }
      rows.push(row);
    }
    yield {
      title: "Flawed locks, the fault not told: runs to the first counterexample, median [least..most] over the seeds",
      columns: [{ key: "lock", title: "lock" }, ...ways.map(({ way }) => ({ key: way, title: way }))],
      rows,
      notes: [
        `${SEEDS * input.effort} seed(s) from ${firstSeed()} on, at most ${RUNS} runs each. -: no seed found it.`,
        `Missed by the hunt: ${missed.length === 0 ? "none" : missed.join(", ")}.`,
      ],
    };
    yield summary(found);
  },
};

/** Whether the name is in the list of this variable, or there is no list. */
function isWanted(variable: string, name: string): boolean {
  return process.env[variable]?.split(",").includes(name) ?? true;
}

function firstSeed(): number {
  return Number(process.env["LOCKSTORM_SEED"] ?? 1);
}

async function outcomesOf(lock: LockEntry, way: Way, { effort, step, signal }: BenchmarkInput) {
  const outcomes: Outcome[] = [];
  for (let index = 0; index < SEEDS * effort; index += 1) {
    const seed = firstSeed() + index;
    step(`${lock.name}, ${way.way}, seed ${seed}`);
    outcomes.push(await outcomeOf(lock, way, seed, signal));
    signal.throwIfAborted();
  }
  return outcomes;
}

async function outcomeOf(lock: LockEntry, { learns, runs: most }: Way, seed: number, signal: AbortSignal) {
  const { name, persistence, supports } = lock;
  const topology = topologySchema.parse({ kind: lock.lesson.shows.topology, persistence });
  const { counterexample, runs, furtherRuns, unknown } = await search<SimulatedRun>({
    drawnFrom: huntSource({ lock: name, topology, faults: faultsFor(undefined, "simulated", topology), supports }),
    learn: learns ? learnSimulated({ signal }) : undefined,
    promises: (plan) => deciding(lock, plan).length,
    seed,
    runs: most,
    shrinkRuns: 0,
    signal,
    run: (plan) => runSimulated(plan, { title: "bench", required: deciding(lock, plan) }),
  });
  const isFound = counterexample !== undefined;
  return { runs: isFound ? runs + furtherRuns : most + 1, seed, isFound, tried: runs, unknown };
}

/**
 * What the lock would keep without its bug and, under the faults that show the bug, what it loses by it: a lock that is
 * known to break may claim nothing there.
 */
function deciding({ lesson: { shows } }: LockEntry, plan: Plan): readonly Property[] {
  const claimed: readonly string[] = requiredProperties(plan);
  const shown = plan.faults.every(({ kind }) => kind === kindOf(shows.under)) ? shows.property : undefined;
  return PROPERTIES.filter((property) => claimed.includes(property) || property === shown);
}

function summary(found: ReadonlyMap<Way, readonly Outcome[]>): Table {
  const hunts = [...found][0]?.[1].map(({ runs }) => runs) ?? [];
  return {
    title: "All of them",
    columns: [
      { key: "way", title: "search" },
      { key: "missed", title: "missed" },
      { key: "quartiles", title: "quartiles of runs" },
      { key: "mean", title: "geometric mean", digits: 1 },
      { key: "unknown", title: "unknown, %", digits: 1 },
      { key: "superiority", title: "A12 of the hunt beside it", digits: 2 },
    ],
    rows: [...found].map(([{ way }, outcomes]) => {
      const runs = outcomes.map((outcome) => outcome.runs);
      const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, each) => total + of(each), 0);
      return {
        way,
        missed: `${outcomes.filter(({ isFound }) => !isFound).length} of ${outcomes.length}`,
        quartiles: quartiles(runs).join(", "),
        mean: geometricMean(runs),
        unknown: (100 * sum(({ unknown }) => unknown)) / sum(({ tried }) => tried),
        superiority: superiority(hunts, runs),
      };
    }),
    notes: [
      "A search that found nothing counts as one run more than it tried. A plan that was retargeted counts as two runs.",
      "A12 (Vargha and Delaney 2000): the probability that a hunt needs fewer runs, where half a tie counts; 0.5 is no difference.",
    ],
  };
}
