/**
 * The processor time of a plan of the default hunt, and of a whole small hunt, in this revision and, where
 * `LOCKSTORM_BEFORE` names a folder with the sources of another one, in that one too. The two take turns with the same
 * plans, so that other work on the machine meets both: their ratio counts, hardly the milliseconds.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HarnessError } from "../core/errors.ts";
import { NODE_OPTIONS_FOR_MODULES } from "../core/node-options.ts";
import type { Benchmark, BenchmarkInput } from "./benchmark.ts";
import type { SpeedAnswer, SpeedTask } from "./speed-worker.ts";
import type { Table } from "./table.ts";

const HERE = fileURLToPath(new URL("../..", import.meta.url));
const BEFORE = process.env["LOCKSTORM_BEFORE"];

const SUBJECTS = [
  { lock: "single", topology: "single" },
  { lock: "watchdog", topology: "single" },
  { lock: "single", topology: "sentinel" },
  { lock: "redlock", topology: "redlock" },
] as const;
/** Plans before those that count, while the engine still compiles what it runs. */
const WARMING = 600;
const BLOCK = 50;
const BLOCKS = 6;
const COLD_HUNTS = 3;
const COLD_RUNS = 100;
/** Of the counters in `/proc`, on every Linux. */
const TICK_MS = 10;

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    yield await warm(input);
    yield await cold(input);
  },
};

async function warm({ effort, signal, step }: BenchmarkInput): Promise<Table> {
  const rows: Table["rows"][number][] = [];
  const failures: string[] = [];
  for (const { lock, topology } of SUBJECTS) {
    const what = `${lock} on ${topology}`;
    using now = new Revision(HERE);
    using before = BEFORE === undefined ? undefined : new Revision(BEFORE);
    const figures = { now: [] as number[], before: [] as number[], ratio: [] as number[] };
    for (let start = 0; start < WARMING + BLOCK * BLOCKS * effort; start += BLOCK) {
      signal.throwIfAborted();
      step(`${what}: ${start} plans`);
      const task = { lock, topology, start, count: BLOCK };
      const former = await before?.run(task);
      const { cpuMs, verdicts } = await now.run(task);
      if (former !== undefined && former.verdicts.join() !== verdicts.join()) {
        failures.push(`${what}: the verdicts of plans ${start} to ${start + BLOCK - 1} differ`);
      }
      if (start < WARMING) continue;
      figures.now.push(cpuMs / BLOCK);
      if (former === undefined) continue;
      figures.before.push(former.cpuMs / BLOCK);
      figures.ratio.push(former.cpuMs / cpuMs);
    }
    rows.push({ what, ...figures });
  }
  return {
    title: `Processor time of a plan, warm, ms, median [least..most] of blocks of ${BLOCK}`,
    columns: columns("lock"),
    rows,
    notes: [`after ${WARMING} plans; all threads of the process, the engine's own included`],
    failures,
  };
}

async function cold({ effort, signal, step }: BenchmarkInput): Promise<Table> {
  const figures = { now: [] as number[], before: [] as number[], ratio: [] as number[] };
  for (let count = 0; count < COLD_HUNTS * effort; count += 1) {
    signal.throwIfAborted();
    step(`a cold hunt, ${count} done`);
    const former = BEFORE === undefined ? undefined : await coldHuntMs(BEFORE);
    const ms = await coldHuntMs(HERE);
    figures.now.push(ms);
    if (former === undefined) continue;
    figures.before.push(former);
    figures.ratio.push(former / ms);
  }
  return {
    title: `Processor time of a whole hunt of ${COLD_RUNS} runs, ms`,
    columns: columns("hunt"),
    rows: [{ what: `--lock single --runs ${COLD_RUNS}`, ...figures }],
    notes: ["the figures to trust are medians of ratios"],
  };
}

function columns(what: string): Table["columns"] {
  return [
    { key: "what", title: what },
    { key: "now", title: "this revision", digits: 2 },
    { key: "before", title: "the other", digits: 2 },
    { key: "ratio", title: "ratio", digits: 2 },
  ];
}

/** A process with the modules of one revision. */
class Revision implements Disposable {
  readonly #child: ChildProcess;

  constructor(root: string) {
    const worker = fileURLToPath(new URL("speed-worker.ts", import.meta.url));
    this.#child = fork(worker, [root], { execArgv: [...NODE_OPTIONS_FOR_MODULES] });
  }

  /** @throws HarnessError when the process ends */
  async run(task: SpeedTask): Promise<SpeedAnswer> {
    const answer = once(this.#child, "message");
    const end = once(this.#child, "exit").then((): never => {
      throw new HarnessError("a process that measures ended");
    });
    end.catch(() => {});
    this.#child.send(task);
    const [reply] = (await Promise.race([answer, end])) as [SpeedAnswer];
    return reply;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

/** The processor time of a hunt in a process of its own, in milliseconds. */
async function coldHuntMs(root: string): Promise<number> {
  const store = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
  try {
    const before = endedChildrenMs();
    const flags = ["--lock", "single", "--runs", String(COLD_RUNS), "--seed", "1", "--store", store];
    const child = spawn(process.execPath, [join(root, "harness/cli/launch.js"), "hunt", ...flags], { stdio: "ignore" });
    await once(child, "exit");
    return endedChildrenMs() - before;
  } finally {
    rmSync(store, { recursive: true });
  }
}

/** The processor time of all children of this process that have ended (`cutime` and `cstime`, proc(5)). */
function endedChildrenMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
