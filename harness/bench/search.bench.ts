/**
 * How long the search takes to find planted bugs in simulation and to shrink them, for several seeds; and what it finds
 * in as many runs of controls without a bug. A control passes only with no violation at all.
 */
// First: libraries store functions of the platform when they are loaded.
import { runSimulated, type SimulatedRun } from "../campaign/run-simulated.ts";
import { faults } from "../../faults/registry.ts";
import { learnSimulated } from "../campaign/systematic/learn.ts";
import { requiredProperties } from "../campaign/required-properties.ts";
import type { CampaignResult, Judged } from "../campaign/run-campaign.ts";
import { search } from "../campaign/search.ts";
import type { Benchmark, BenchmarkInput } from "./benchmark.ts";
import { type Hunted, plantedBugs } from "./planted-bugs.ts";
import type { Table } from "./table.ts";

const SEEDS = 5;
const SHRINK_RUNS = 150;

type Row = Table["rows"][number];

/** Time since the start of a search, by the clock and by the processor. */
interface Elapsed {
  readonly ms: number;
  readonly cpuMs: number;
}

/** A search that is over. */
interface Hunt {
  readonly result: CampaignResult<SimulatedRun & Judged>;
  readonly first: Elapsed | undefined;
  readonly total: Elapsed;
}

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    yield await huntBugs(input);
    yield await huntControls(input);
  },
};

async function huntBugs(input: BenchmarkInput): Promise<Table> {
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const { name, bug, runs } of plantedBugs) {
    const hunts = await huntAll(name, { hunted: bug, runs }, input);
    const found = hunts.flatMap(({ result, first, total }) =>
      result.counterexample === undefined || first === undefined
        ? []
        : [{ runs: result.runs, first, total, ...result.counterexample }],
    );
    if (found.length < hunts.length) failures.push(`${name}: ${hunts.length - found.length} seed(s) found nothing`);
    rows.push({
      bug: name,
      found: `${found.length} of ${hunts.length} seeds`,
      most: runs,
      runs: found.map(({ runs }) => runs),
      firstMs: found.map(({ first }) => first.ms),
      firstCpuMs: found.map(({ first }) => first.cpuMs),
      shrinks: found.map(({ shrinks }) => shrinks),
      shrunkMs: found.map(({ total }) => total.ms),
      shrunkCpuMs: found.map(({ total }) => total.cpuMs),
      sections: found.map(({ run }) => run.plan.clients.flatMap(({ sections }) => sections).length),
      faults: found.map(({ run }) => run.plan.faults.length),
    });
  }
  return {
    title: "Planted bugs: from the start of the search, median [least..most] over the seeds",
    columns: [
      { key: "bug", title: "bug" },
      { key: "found", title: "found by" },
      { key: "most", title: "runs at most" },
      { key: "runs", title: "runs to first" },
      { key: "firstMs", title: "ms to first" },
      { key: "firstCpuMs", title: "CPU ms" },
      { key: "shrinks", title: "runs to shrink" },
      { key: "shrunkMs", title: "ms to shrunk" },
      { key: "shrunkCpuMs", title: "CPU ms" },
      { key: "sections", title: "its sections" },
      { key: "faults", title: "its faults" },
    ],
    rows,
    notes: [`Seeds 1 to ${SEEDS * input.effort}; at most ${SHRINK_RUNS} runs to shrink.`],
    failures,
  };
}

async function huntControls(input: BenchmarkInput): Promise<Table> {
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const { name: bug, controls, runs } of plantedBugs) {
    for (const { name, hunted } of controls) {
      const hunts = await huntAll(`${bug}, control: ${name}`, { hunted, runs }, input);
      const sum = (of: (hunt: Hunt) => number): number => hunts.reduce((total, hunt) => total + of(hunt), 0);
      const violations = sum(({ result }) => (result.counterexample === undefined ? 0 : 1));
      const [valid, unknown] = [sum(({ result }) => result.valid), sum(({ result }) => result.unknown)];
      rows.push({ bug, control: name, violations, runs: sum(({ result }) => result.runs), valid, unknown });
      if (violations > 0) failures.push(`${bug}, ${name}: the control was violated for ${violations} seed(s)`);
      if (valid === 0) failures.push(`${bug}, ${name}: no run decided anything`);
    }
  }
  return {
    title: "Controls: the same search where nothing can break",
    columns: [
      { key: "bug", title: "beside the bug" },
      { key: "control", title: "control" },
      { key: "violations", title: "violations" },
      { key: "runs", title: "runs" },
      { key: "valid", title: "valid" },
      { key: "unknown", title: "unknown" },
    ],
    rows,
    notes: ["unknown: the faults of the plan never came, or their effect was not seen; such a run counts for nothing."],
    failures,
  };
}

interface Search {
  readonly hunted: Hunted;
  readonly runs: number;
}

async function huntAll(title: string, search: Search, input: BenchmarkInput): Promise<readonly Hunt[]> {
  const hunts: Hunt[] = [];
  for (let seed = 1; seed <= SEEDS * input.effort; seed += 1) {
    input.step(`${title}, seed ${seed}`);
    hunts.push(await hunt(search, seed, input.signal));
    input.signal.throwIfAborted();
  }
  return hunts;
}

async function hunt({ hunted, runs }: Search, seed: number, signal: AbortSignal): Promise<Hunt> {
  const { lock, topology, fencing, maxHoldShare } = hunted;
  const elapsed = stopwatch();
  let first: Elapsed | undefined;
  const result = await search<SimulatedRun>({
    drawnFrom: {
      lock,
      topology,
      fencing,
      maxHoldShare,
      faults: faults.filter(({ kind }) => hunted.faults.includes(kind)),
    },
    learn: learnSimulated({ signal }),
    seed,
    runs,
    shrinkRuns: SHRINK_RUNS,
    signal,
    run: (plan) => runSimulated(plan, { title: "bench", required: hunted.required ?? requiredProperties(plan) }),
    verdictOf: ({ record }) => record.verdict,
    onRun: ({ verdict }) => {
      if (verdict.verdict === "invalid") first ??= elapsed();
    },
  });
  return { result, first, total: elapsed() };
}

function stopwatch(): () => Elapsed {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(startCpu);
    return { ms: performance.now() - startMs, cpuMs: (user + system) / 1000 };
  };
}
