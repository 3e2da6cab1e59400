/**
 * A store with a hundred thousand runs: listing its newest runs, its invalid ones, the page of all, and deleting the older
 * half; each command in a process of its own. The runs are copies of those of a short hunt.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, BenchmarkInput } from "../benchmark.ts";
import type { Table } from "../table.ts";
import { measuredCommand } from "./measured-command.ts";

const RUNS = 100_000;
const RECORDED_RUNS = 60;
const HOUR_MS = 3_600_000;

/** In this order: the second page finds what the first one wrote down. */
const COMMANDS = [
  ["runs"],
  ["runs", "--last", "1000"],
  ["runs", "--verdict", "invalid"],
  ["open"],
  ["open"],
  ["runs", "--older-than", `${RUNS / 2}h`, "--delete"],
  ["runs", "--older-than", "1m", "--delete"],
] as const;

export const benchmark: Benchmark = {
  async *run(input): AsyncGenerator<Table> {
    const folder = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
    try {
      const runs = RUNS * input.effort;
      const store = await storeOf(runs, folder, input);
      const rows = [];
      for (const words of COMMANDS) {
        input.step(`lockstorm ${words.join(" ")}`);
        const { seconds, cpuSeconds, peakMb } = await measuredCommand([...words, "--store", store], input);
        rows.push({ command: words.join(" "), seconds, cpuSeconds, peakMb });
      }
      const left = readdirSync(join(store, "runs")).length;
      yield {
        title: `A store of ${runs} runs`,
        columns: [
          { key: "command", title: "command" },
          { key: "seconds", title: "s", digits: 1 },
          { key: "cpuSeconds", title: "processor s", digits: 1 },
          { key: "peakMb", title: "peak MB" },
        ],
        rows,
        notes: ["by the clock, the start of the process included; peak: the most resident memory that it ever had"],
        failures: left === 0 ? [] : [`${left} runs are left`],
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Makes a store with this many runs, one an hour until now. @returns its folder */
async function storeOf(runs: number, folder: string, { step, signal }: BenchmarkInput): Promise<string> {
  const recorded = join(folder, "recorded");
  step(`hunting, ${RECORDED_RUNS} runs`);
  const hunt = ["hunt", "--lock", "fenced", "--topology", "single", "--seed", "1"];
  await measuredCommand([...hunt, "--runs", String(RECORDED_RUNS), "--store", recorded], { signal });
  const originals = readdirSync(join(recorded, "runs")).map((name) => join(recorded, "runs", name));
  const store = join(folder, "store", "runs");
  mkdirSync(store, { recursive: true });
  for (let run = 0; run < runs; run += 1) {
    if (run % 10_000 === 0) step(`copying, ${run} of ${runs} runs`);
    signal.throwIfAborted();
    const began = new Date(Date.now() - (run + 1) * HOUR_MS).toISOString().slice(0, 19).replaceAll(":", "-");
    const original = originals[run % originals.length];
    if (original === undefined) throw new Error("the hunt kept no run");
    const copy = join(store, `${began}-${run}`);
    mkdirSync(copy);
    for (const name of ["plan.json", "verdict.json", "history.jsonl"]) cpSync(join(original, name), join(copy, name));
  }
  return join(folder, "store");
}
