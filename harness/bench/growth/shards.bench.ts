/**
 * The cost of merging: the results of a hunt in up to a thousand shards, `lockstorm merge` in a process of its own. The
 * shards are made of the runs of one short hunt, so that a night's results are there within seconds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, BenchmarkInput } from "../benchmark.ts";
import type { Table } from "../table.ts";
import { dividedHunt } from "./divided-hunt.ts";
import { measuredCommand } from "./measured-command.ts";

/** More than the systematic part of a search has: plans drawn at random leave more to count. */
const RECORDED_RUNS = 800;
const DIVISIONS = [
  { shards: 10, runsEach: 1000 },
  { shards: 100, runsEach: 1000 },
  { shards: 1000, runsEach: 10 },
  { shards: 1000, runsEach: 100 },
  { shards: 1000, runsEach: 1000 },
] as const;
/** What the pod of the example on Kubernetes has is 2 GiB; a tenth of it is for small campaigns. */
const MOST_MB = 400;

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const folder = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
    try {
      const recorded = join(folder, "recorded");
      input.step(`hunting, ${RECORDED_RUNS} runs`);
      const hunt = ["hunt", "--lock", "fenced", "--topology", "single", "--seed", "1"];
      await measuredCommand([...hunt, "--runs", String(RECORDED_RUNS), "--store", recorded], input);
      const rows = [];
      for (const division of DIVISIONS) rows.push(await merged(recorded, division, folder, input));
      yield {
        title: "Merging the shards of a hunt",
        columns: [
          { key: "shards", title: "shards" },
          { key: "runsEach", title: "runs in each" },
          { key: "runs", title: "runs" },
          { key: "seconds", title: "s", digits: 1 },
          { key: "cpuSeconds", title: "processor s", digits: 1 },
          { key: "peakMb", title: "peak MB" },
        ],
        rows,
        notes: ["by the clock, the start of the process included; peak: the most resident memory that it ever had"],
        failures: rows.flatMap(({ runs, peakMb }) =>
          peakMb > MOST_MB ? [`merging ${runs} runs took ${peakMb.toFixed(0)} MB, more than ${MOST_MB}`] : [],
        ),
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function merged(
  recorded: string,
  { shards, runsEach }: { readonly shards: number; readonly runsEach: number },
  folder: string,
  { effort, step, signal }: BenchmarkInput,
) {
  const runs = shards * runsEach * effort;
  step(`merging ${shards} shards of ${runsEach * effort} runs`);
  const work = mkdtempSync(join(folder, "shards-"));
  try {
    const stores = dividedHunt(recorded, { shards, runsEach: runsEach * effort, folder: work });
    const words = ["merge", ...stores, "--store", join(work, "merged"), "--json"];
    const { output, seconds, cpuSeconds, peakMb } = await measuredCommand(words, { signal });
    const { runs: counted } = JSON.parse(output) as { readonly runs: number };
    if (counted !== runs) throw new Error(`the merge counts ${counted} of ${runs} runs`);
    return { shards, runsEach: runsEach * effort, runs, seconds, cpuSeconds, peakMb };
  } finally {
    rmSync(work, { recursive: true });
  }
}
