/**
 * Porcupine (github.com/anishathalye/porcupine), an independent linearizability checker in Go, compared with ours: both
 * judge the same random histories, of correct locks and falsified ones. Its module is built once, from `porcupine/`, in
 * a temporary folder. Porcupine knows no leases, so no lease ends here. `s` is the processor time of judging alone, of
 * each process, in the same run. A disagreement is a failure.
 *
 * With the usual effort it is 10 000 histories, each judged against the mutex without owners and one of the models with
 * owners; `--effort 100` is a million.
 */
import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Benchmark } from "../../bench/benchmark.ts";
import { renderTable, type Table } from "../../bench/table.ts";
import { randomStream, type Random } from "../../core/random.ts";
import { LOCK_MODELS, type LockModelName, type LockOperation } from "./lock-models.ts";
import { followEvents } from "../testing/follow.ts";
import { RANDOM_KINDS } from "../testing/random-kinds.ts";
import { randomOperations, type Move, type RandomHistoryOptions } from "../testing/random-locks.ts";

/** The models that know owners: each history is judged by one of them, in turn, and by the one that does not. */
const BY_OWNER = LOCK_MODELS.filter((model) => model !== "mutex");

const HISTORIES = 10_000;
const BATCH = 500;
/**
 * The most operations of a history: most histories are short, because one that breaks a checker is nearly always short;
 * some are long.
 */
const LENGTHS = [
  { upTo: 10, share: 20 },
  { upTo: 20, share: 12 },
  { upTo: 40, share: 6 },
  { upTo: 120, share: 1 },
  { upTo: 300, share: 1 },
].flatMap(({ upTo, share }) => Array.from({ length: share }, () => upTo));
/** See `random-locks.ts`. */
const NO_LIE = 29;
const LEASE_LIE = 4;
/** A lease that no history outlasts. */
const FOR_EVER = 1_000_000_000;

interface Tally {
  histories: number;
  operations: number;
  longest: number;
  linearizable: number;
  not: number;
  oursUndecided: number;
  theirsUndecided: number;
  oursSeconds: number;
  theirsSeconds: number;
  readonly disagreements: string[];
}

/** Porcupine, in a process of its own. */
class Porcupine implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(program: string) {
    this.#process = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    this.#reader = createInterface(this.#process.stdout);
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  async judge(
    model: LockModelName,
    histories: readonly (readonly LockOperation[])[],
  ): Promise<readonly (readonly [outcome: string, nanoseconds: number])[]> {
    const text = histories.map((operations) => `${JSON.stringify({ model, operations: operations.map(asInput) })}\n`);
    if (!this.#process.stdin.write(`${text.join("")}\n`)) await once(this.#process.stdin, "drain");
    const answers: (readonly [string, number])[] = [];
    while (answers.length < histories.length) {
      const { done, value } = await this.#lines.next();
      if (done === true) throw new Error("Porcupine ended");
      const [outcome = "", nanoseconds] = value.split(" ");
      answers.push([outcome, Number(nanoseconds)]);
    }
    return answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    this.#reader.close();
    if (this.#process.exitCode === null) await once(this.#process, "exit");
  }
}

function asInput({
  kind,
  owner = "",
  stranger,
  fence = 0,
  process,
  invoked,
  completed,
  required,
}: LockOperation): object {
  return { k: kind, o: owner, s: stranger, f: fence, p: process, c: invoked, r: required ? completed : -1 };
}

/** Moves at random, made without the generators of the property tests: a million histories would take them hours. */
function randomMoves(random: Random, options: RandomHistoryOptions): readonly Move[] {
  const below = (end: number): number => random.integer(0, end - 1);
  // One or two lies in a history; none about leases.
  const lie = (): number => (options.lies === 0 ? NO_LIE : below(6 * options.maxMoves + 4 * options.lies));
  const withoutLeases = (chosen: number): number => (chosen === LEASE_LIE ? NO_LIE : chosen);
  return Array.from({ length: 1 + below(options.maxMoves) }, () => ({
    process: below(options.processes),
    gap: below(5),
    duration: below(3) === 0 ? below(26) : below(6),
    quarter: below(5),
    choice: below(10),
    outcome: options.unknown && below(12) === 0 ? "unknown" : "known",
    late: below(2) === 0 ? undefined : below(21),
    lease: FOR_EVER,
    validity: undefined,
    lie: withoutLeases(lie()),
  }));
}

function randomHistory(random: Random): readonly LockOperation[] {
  for (;;) {
    const kind = RANDOM_KINDS[random.integer(0, RANDOM_KINDS.length - 1)]!;
    const maxMoves = LENGTHS[random.integer(0, LENGTHS.length - 1)]!;
    const options = { ...kind, processes: random.integer(2, 10), maxMoves };
    const operations = randomOperations(randomMoves(random, options), options);
    if (operations.length > 0 && operations.length <= 300) return operations;
  }
}

/** Our checker's verdict on a history, which it reads event by event. */
function ours(operations: readonly LockOperation[], model: LockModelName): string {
  const following = followEvents(operations, model);
  const { state } = following.progress;
  if (state === "following") return "Ok";
  if (state !== "general") return "Illegal";
  const searched = following.search();
  return searched === "linearizable" ? "Ok" : searched === "not-linearizable" ? "Illegal" : "Unknown";
}

async function compare(
  porcupine: Porcupine,
  model: LockModelName,
  histories: readonly (readonly LockOperation[])[],
  tally: Tally,
): Promise<void> {
  const start = process.cpuUsage();
  const mine = histories.map((operations) => ours(operations, model));
  const { user, system } = process.cpuUsage(start);
  tally.oursSeconds += (user + system) / 1e6;
  const theirs = await porcupine.judge(model, histories);
  theirs.forEach(([outcome, nanoseconds], index) => {
    const operations = histories[index]!;
    tally.histories += 1;
    tally.operations += operations.length;
    tally.longest = Math.max(tally.longest, operations.length);
    tally.theirsSeconds += nanoseconds / 1e9;
    if (mine[index] === "Unknown") tally.oursUndecided += 1;
    if (outcome === "Unknown") tally.theirsUndecided += 1;
    else if (outcome === "Ok") tally.linearizable += 1;
    else tally.not += 1;
    if (mine[index] === "Unknown" || outcome === "Unknown" || mine[index] === outcome) return;
    tally.disagreements.push(`${model}: ${mine[index]}, but Porcupine says ${outcome}: ${JSON.stringify(operations)}`);
  });
}

/** Builds Porcupine. Returns why it cannot be built, if so. */
async function build(folder: string): Promise<string | undefined> {
  await cp(fileURLToPath(new URL("porcupine", import.meta.url)), folder, { recursive: true });
  const { status, error, stderr } = spawnSync("go", ["build", "-o", "judge", "."], { cwd: folder, encoding: "utf8" });
  if (error !== undefined) return "there is no Go here (install Go 1.21 or later)";
  return status === 0 ? undefined : `go build failed: ${stderr.trim().split("\n").at(-1) ?? ""}`;
}

function emptyTally(): Tally {
  const nothing = { histories: 0, operations: 0, longest: 0, linearizable: 0, not: 0 };
  return { ...nothing, oursUndecided: 0, theirsUndecided: 0, oursSeconds: 0, theirsSeconds: 0, disagreements: [] };
}

function tableOf(tallies: ReadonlyMap<LockModelName, Tally>): Table {
  const rows = [...tallies].map(([model, tally]) => ({
    ...tally,
    model,
    disagreements: tally.disagreements.length,
    ratio: tally.theirsSeconds / tally.oursSeconds,
  }));
  return {
    title: "Agreement with Porcupine on random histories",
    columns: [
      { key: "model", title: "model" },
      { key: "histories", title: "histories" },
      { key: "operations", title: "operations" },
      { key: "longest", title: "longest" },
      { key: "linearizable", title: "linearizable" },
      { key: "not", title: "not" },
      { key: "oursUndecided", title: "ours undecided" },
      { key: "theirsUndecided", title: "Porcupine undecided" },
      { key: "disagreements", title: "disagreements" },
      { key: "oursSeconds", title: "ours s", digits: 1 },
      { key: "theirsSeconds", title: "Porcupine s", digits: 1 },
      { key: "ratio", title: "Porcupine / ours", digits: 2 },
    ],
    rows,
    failures: [...tallies.values()].flatMap(({ disagreements }) => disagreements.slice(0, 5)),
  };
}

export const benchmark: Benchmark = {
  async *run({ effort, step, signal }): AsyncGenerator<Table> {
    const folder = await mkdtemp(join(tmpdir(), "lockstorm-porcupine-"));
    try {
      const lack = await build(folder);
      const tallies = new Map(LOCK_MODELS.map((model) => [model, emptyTally()]));
      if (lack !== undefined) {
        yield { ...tableOf(new Map()), lacks: [lack] };
        return;
      }
      await using porcupine = new Porcupine(join(folder, "judge"));
      const random = randomStream(1, "porcupine");
      for (let batch = 0; batch * BATCH < HISTORIES * effort; batch += 1) {
        signal.throwIfAborted();
        step(`${batch * BATCH} of ${HISTORIES * effort} histories`);
        const histories = Array.from({ length: BATCH }, () => randomHistory(random));
        for (const model of ["mutex", BY_OWNER[batch % BY_OWNER.length]!] as const) {
          await compare(porcupine, model, histories, tallies.get(model)!);
        }
      }
      yield tableOf(tallies);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const effort = Number(process.argv[2] ?? 1);
  const input = { effort, step: () => {}, signal: new AbortController().signal };
  for await (const table of benchmark.run(input)) process.stdout.write(renderTable(table));
}
