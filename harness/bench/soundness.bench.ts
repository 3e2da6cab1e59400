/**
 * Does the harness ever accuse a sound lock? It draws plans as a default hunt does, for every sound lock on each of its
 * simulated topologies, each batch from its own seed, and judges them by what the lock claims. Any violation is a false
 * alarm, of the checkers or of the claims, unless it is a known limit of the lock; its run is kept. `LOCKSTORM_SEED`
 * replaces the clock as the first seed.
 */
import { locks } from "../../lock-impl/registry.ts";
import { WorkerPool } from "../campaign/worker-pool.ts";
import { topologyOf, type TopologyKind } from "../core/topologies/registry.ts";
import { isSimulated } from "../core/topology.ts";
import type { Benchmark, BenchmarkInput } from "./benchmark.ts";
import type { SoundnessAnswer, SoundnessTask } from "./soundness-worker.ts";
import type { Table } from "./table.ts";

/** Plans for an effort of 1. */
const PLANS = 20_000;
const STORE = ".lockstorm";

interface Tally {
  plans: number;
  valid: number;
  unknown: number;
  readonly alarms: string[];
  readonly limits: Map<string, number>;
}

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const first = Number(process.env["LOCKSTORM_SEED"] ?? Date.now() % 0x3fff_ffff);
    const tallies = new Map<string, Tally>();
    const errors: string[] = [];
    const startMs = performance.now();
    await measure(batches(first, input.effort * PLANS), input, (task, answer) => {
      if (answer.error === undefined) add(tallies, task, answer);
      else errors.push(answer.error);
    });
    const seconds = (performance.now() - startMs) / 1000;
    yield tableOf(tallies, { first, seconds, errors });
  },
};

/** One batch after another for each lock and topology in turn, so that a run that is cut short covers all of them. */
function batches(first: number, plans: number): readonly SoundnessTask[] {
  const sound = locks
    .filter(({ flawed }) => !flawed)
    .flatMap(({ name, topologies, persistence = "none" }) =>
      topologies.filter(isSimulated).map((topology) => ({ lock: name, topology, persistence })),
    );
  const tasks: SoundnessTask[] = [];
  for (let left = plans; left > 0; left -= tasks.at(-1)!.runs) {
    const next = sound[tasks.length % sound.length]!;
    tasks.push({ ...next, seed: first + tasks.length, runs: plansInBatch(next.topology), store: STORE });
  }
  return tasks;
}

async function measure(
  tasks: readonly SoundnessTask[],
  { signal, step }: BenchmarkInput,
  onAnswer: (task: SoundnessTask, answer: SoundnessAnswer) => void,
): Promise<void> {
  await using workers = new WorkerPool<SoundnessTask, SoundnessAnswer>(new URL("soundness-worker.ts", import.meta.url));
  const total = tasks.reduce((sum, { runs }) => sum + runs, 0);
  let [done, alarms] = [0, 0];
  await workers.do(tasks, {
    signal,
    onStart: () => {},
    onAnswer: (task, answer) => {
      done += task.runs;
      alarms += answer.alarms.length;
      step(`${done} of ${total} plans, ${alarms} false alarms`);
      onAnswer(task, answer);
    },
  });
}

function add(tallies: Map<string, Tally>, { lock, topology, runs }: SoundnessTask, answer: SoundnessAnswer): void {
  const name = `${lock} on ${topology}`;
  const tally: Tally = tallies.get(name) ?? { plans: 0, valid: 0, unknown: 0, alarms: [], limits: new Map() };
  tallies.set(name, tally);
  tally.plans += runs;
  tally.valid += answer.valid;
  tally.unknown += answer.unknown;
  tally.alarms.push(...answer.alarms);
  for (const [what, times] of Object.entries(answer.limits)) {
    tally.limits.set(what, (tally.limits.get(what) ?? 0) + times);
  }
}

function tableOf(
  tallies: ReadonlyMap<string, Tally>,
  facts: { readonly first: number; readonly seconds: number; readonly errors: readonly string[] },
): Table {
  const { first, seconds, errors } = facts;
  const all = [...tallies];
  const plans = all.reduce((sum, [, tally]) => sum + tally.plans, 0);
  const alarms = all.flatMap(([lock, tally]) =>
    tally.alarms.map((folder) => `${lock}: npx lockstorm replay ${folder}`),
  );
  return {
    title: "Sound locks: violations of what they claim",
    columns: [
      { key: "lock", title: "lock" },
      { key: "plans", title: "plans" },
      { key: "valid", title: "valid" },
      { key: "unknown", title: "unknown" },
      { key: "alarms", title: "false alarms" },
      { key: "limits", title: "limits shown: runs" },
    ],
    rows: all.map(([lock, tally]) => ({
      lock,
      plans: tally.plans,
      valid: tally.valid,
      unknown: tally.unknown,
      alarms: tally.alarms.length,
      limits: [...tally.limits].map(([what, times]) => `${what} ${times}`).join(", "),
    })),
    notes: [
      `${plans} plans, seeds ${first} and up, up to 1,000 plans a seed, in ${Math.round(seconds)} s.`,
      `${alarms.length} false alarms.`,
      "Limits: violations of what the lock does not claim under the faults of the plan, or is known to break.",
    ],
    failures: [...alarms, ...errors],
  };
}

/**
 * Plans per seed. Plans with more servers take longer, and plans with replication ten times as long, so there are fewer
 * of them.
 */
function plansInBatch(kind: TopologyKind): number {
  const { arrangement, dataNodes } = topologyOf(kind);
  return arrangement === "replicated" ? 20 : Math.ceil(1000 / dataNodes);
}
