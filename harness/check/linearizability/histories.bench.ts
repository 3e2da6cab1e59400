/**
 * The worst cost of judging: histories made to be hard (`testing/adversarial-histories.ts`), written to a file and read
 * from it as `lockstorm check` does, each in a separate process. `s` is processor time, `peak` the most memory that the
 * process ever had. With the usual effort a history has 100 000 lines, with `--effort 10` a million. A history that
 * takes longer than a minute a million lines, or 500 MB, is a failure, regardless of its verdict.
 */
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Benchmark } from "../../bench/benchmark.ts";
import { renderTable, type Table } from "../../bench/table.ts";
import { checkStream } from "../check-stream.ts";
import { collectGarbageEarly } from "../heap-growth.ts";
import type { LockModelName } from "./lock-models.ts";
import { ADVERSARIAL_HEADER, adversarialEvents, SHAPES } from "../testing/adversarial-histories.ts";

const LINES = 100_000;
const MOST_SECONDS_PER_MILLION = 60;
const MOST_MB = 500;
const MODELS: readonly LockModelName[] = ["reentrant-fenced-mutex", "mutex"];

interface Judged {
  readonly verdict: string;
  readonly linearizability: string;
  readonly seconds: number;
  readonly peakMb: number;
  readonly longestTurnMs: number;
}

async function write(path: string, shape: string, lines: number): Promise<number> {
  await using file = await open(path, "w");
  let batch = [JSON.stringify(ADVERSARIAL_HEADER)];
  let count = 1;
  for (const event of adversarialEvents(shape, lines)) {
    batch.push(JSON.stringify(event));
    count += 1;
    if (batch.length < 10_000) continue;
    await file.write(`${batch.join("\n")}\n`);
    batch = [];
  }
  await file.write(`${batch.join("\n")}\n`);
  return count;
}

/** Runs in the process that judges. */
async function judge(path: string, model: LockModelName): Promise<Judged> {
  collectGarbageEarly();
  let [last, longestTurnMs] = [performance.now(), 0];
  const watch = (): void => {
    const now = performance.now();
    [last, longestTurnMs] = [now, Math.max(longestTurnMs, now - last)];
  };
  const timer = setInterval(watch, 1);
  const { verdict } = await checkStream(createReadStream(path), path, { model, foreign: true });
  watch();
  clearInterval(timer);
  const { user, system } = process.cpuUsage();
  const { verdict: outcome, reason } = verdict.properties.linearizability ?? { verdict: "not judged" };
  return {
    verdict: verdict.verdict,
    linearizability: reason === undefined ? outcome : `${outcome}: ${reason}`,
    seconds: (user + system) / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1024,
    longestTurnMs,
  };
}

async function row(folder: string, shape: string, lines: number, model: LockModelName, signal: AbortSignal) {
  const path = join(folder, "history.jsonl");
  const written = await write(path, shape, lines);
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), path, model], {
    signal,
  });
  const judged = JSON.parse(stdout) as Judged;
  return { shape, model, lines: written, ...judged };
}

export const benchmark: Benchmark = {
  async *run({ effort, step, signal }): AsyncGenerator<Table> {
    const lines = LINES * effort;
    const folder = await mkdtemp(join(tmpdir(), "lockstorm-histories-"));
    try {
      for (const model of MODELS) {
        const rows: Awaited<ReturnType<typeof row>>[] = [];
        for (const shape of Object.keys(SHAPES)) {
          signal.throwIfAborted();
          step(`${model}: ${shape}`);
          rows.push(await row(folder, shape, lines, model, signal));
        }
        const most = (MOST_SECONDS_PER_MILLION * lines) / 1_000_000;
        yield {
          title: `Judging hard histories of ${lines} lines, model ${model}`,
          columns: [
            { key: "shape", title: "shape" },
            { key: "lines", title: "lines" },
            { key: "seconds", title: "s", digits: 2 },
            { key: "peakMb", title: "peak MB", digits: 0 },
            { key: "longestTurnMs", title: "longest turn, ms", digits: 0 },
            { key: "verdict", title: "verdict" },
            { key: "linearizability", title: "linearizability" },
          ],
          rows,
          notes: [`a failure is more than ${most} s of processor time or ${MOST_MB} MB`],
          failures: rows.flatMap(({ shape, seconds, peakMb }) => [
            ...(seconds > most ? [`${shape}: ${seconds.toFixed(1)} s`] : []),
            ...(peakMb > MOST_MB ? [`${shape}: ${peakMb.toFixed(0)} MB`] : []),
          ]),
        };
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path, model] = process.argv.slice(2);
  if (path === undefined) {
    const input = { effort: 1, step: () => {}, signal: new AbortController().signal };
    for await (const table of benchmark.run(input)) process.stdout.write(renderTable(table));
  } else process.stdout.write(JSON.stringify(await judge(path, model as LockModelName)));
}
