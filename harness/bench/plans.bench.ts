/**
 * Plans per second, from the start of a system to its verdict, on both backends in one run: the ratio is the speed-up
 * of the simulation. Containers keep their servers from run to run, as a search does. The simulation is measured before
 * and after, so that the spread shows other load on the machine.
 */
// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../campaign/run-simulated.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOnContainers } from "../campaign/run-on-containers.ts";
import { ContainerPool } from "../containers/container-pool.ts";
import { HarnessError } from "../core/errors.ts";
import { topologyOf, type TopologyKind } from "../core/topologies/registry.ts";
import { isSimulated, TOPOLOGIES } from "../core/topology.ts";
import type { Property } from "../core/verdict.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import type { Benchmark, BenchmarkInput } from "./benchmark.ts";
import { missingEngine } from "./missing-engine.ts";
import { PLAN_SIZES, type PlanSize, sizedPlan } from "./sized-plans.ts";
import { median } from "./statistics.ts";
import type { Table } from "./table.ts";

const REQUIRED: readonly Property[] = ["mutual-exclusion", "lease-exclusion"];
const WARM_UP_MS = 500;
const SAMPLE_MS = 400;
/** Samples before and as many after the containers. */
const SAMPLES = 3;
/** Runs of each size in containers. Where nodes replicate, each run starts its servers, which takes seconds. */
const CONTAINER_RUNS = { kept: 3, started: 2 };

/** Plans per second, one figure per sample: by the clock, and by the processor time of this process. */
interface Rate {
  readonly perSecond: number[];
  readonly perCpuSecond: number[];
}
type Rates = Map<PlanSize, Rate>;

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const missing = await missingEngine();
    const rows: Table["rows"][number][] = [];
    for (const kind of TOPOLOGIES.filter(isSimulated)) {
      const simulated: Rates = new Map();
      await simulate(kind, simulated, input);
      const contained = missing === undefined ? await contain(kind, input) : undefined;
      await simulate(kind, simulated, input);
      rows.push(...PLAN_SIZES.map((size) => row(kind, size, simulated, contained)));
    }
    yield {
      title: "Plans per second, median [least..most]",
      columns: [
        { key: "topology", title: "topology" },
        { key: "size", title: "size" },
        { key: "sections", title: "sections" },
        { key: "simulated", title: "simulated" },
        { key: "perCpuSecond", title: "simulated, per CPU second" },
        { key: "containers", title: "containers", digits: 2 },
        { key: "ratio", title: "ratio" },
      ],
      rows,
      notes: [
        "ratio: medians of simulated and containers, by the clock. A simulation wants a whole core, containers mostly wait:",
        "on a busy machine the ratio comes out too small; the rate by processor time is nearer to what an idle core does.",
      ],
      lacks: missing && [
        `plans on containers: ${missing.message}. To fix it: ${missing.hint}. Nothing else is compared`,
      ],
    };
  },
};

function row(
  kind: TopologyKind,
  size: PlanSize,
  simulated: Rates,
  contained: Rates | undefined,
): Table["rows"][number] {
  const { perSecond = [], perCpuSecond = [] } = simulated.get(size) ?? {};
  const beside = contained?.get(size)?.perSecond;
  return {
    topology: kind,
    size: size.name,
    sections: `${size.clients} x ${size.sections}`,
    simulated: perSecond,
    perCpuSecond,
    containers: beside ?? "NO ENGINE",
    ratio: beside === undefined ? "NO ENGINE" : median(perSecond) / median(beside),
  };
}

async function simulate(kind: TopologyKind, rates: Rates, { effort, step, signal }: BenchmarkInput): Promise<void> {
  let seed = 0;
  for (const size of PLAN_SIZES) {
    const once = async (): Promise<void> => {
      signal.throwIfAborted();
      seed += 1;
      const { record } = await runSimulated(sizedPlan(kind, size, seed), { title: "bench", required: REQUIRED });
      assertWhole(record, size);
    };
    step(`${kind}, ${size.name}, simulated`);
    const rate = rates.get(size) ?? { perSecond: [], perCpuSecond: [] };
    rates.set(size, rate);
    await repeat(WARM_UP_MS, once);
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const { runs, seconds, cpuSeconds } = await repeat(SAMPLE_MS * effort, once);
      rate.perSecond.push(runs / seconds);
      rate.perCpuSecond.push(runs / cpuSeconds);
    }
  }
}

/** Repeats `work` for this long or a little longer, and returns how often and how long. */
async function repeat(
  ms: number,
  work: () => Promise<void>,
): Promise<{ readonly runs: number; readonly seconds: number; readonly cpuSeconds: number }> {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  let runs = 0;
  do {
    await work();
    runs += 1;
  } while (performance.now() - startMs < ms);
  const { user, system } = process.cpuUsage(startCpu);
  return { runs, seconds: (performance.now() - startMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

async function contain(kind: TopologyKind, { effort, step, signal }: BenchmarkInput): Promise<Rates> {
  const rates: Rates = new Map();
  const startsItsServers = topologyOf(kind).arrangement === "replicated";
  const containerRuns = startsItsServers ? CONTAINER_RUNS.started : CONTAINER_RUNS.kept;
  const store = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
  try {
    await using pool = new ContainerPool();
    const once = async (size: PlanSize, seed: number): Promise<number> => {
      const startMs = performance.now();
      const { record } = await runOnContainers(sizedPlan(kind, size, seed), {
        store,
        title: "bench",
        required: REQUIRED,
        signal,
        pool,
      });
      assertWhole(record, size);
      return 1000 / (performance.now() - startMs);
    };
    for (const size of PLAN_SIZES) {
      step(`${kind}, ${size.name}, containers`);
      // The first run starts the servers that the others keep.
      if (!startsItsServers && size === PLAN_SIZES[0]) await once(size, 0);
      const perSecond: number[] = [];
      for (let run = 1; run <= containerRuns * effort; run += 1) perSecond.push(await once(size, run));
      rates.set(size, { perSecond, perCpuSecond: [] });
    }
    return rates;
  } finally {
    rmSync(store, { recursive: true });
  }
}

/** Figures count only for runs in which everything in the plan happened. */
export function assertWhole({ history, verdict }: RunRecord, { clients, sections }: PlanSize): void {
  const granted = history.events.filter(({ type, f }) => type === "ok" && f === "acquire").length;
  if (verdict.verdict === "valid" && granted === clients * sections) return;
  const reasons = verdict.reasons.join("; ");
  throw new HarnessError(
    `a sound lock's run was ${verdict.verdict}, ${granted} of ${clients * sections} granted${reasons && `: ${reasons}`}`,
  );
}
