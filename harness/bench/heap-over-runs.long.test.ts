// @module-tag long
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { HeapInUse } from "./heap-over-runs.ts";

const MODULE = new URL("heap-over-runs.ts", import.meta.url).href;

/** In a separate process, whose heap contains nothing else. */
async function heapsInChild(runs: number, every: number): Promise<readonly HeapInUse[]> {
  const script = `
    const { heapsOverRuns } = await import(${JSON.stringify(MODULE)});
    const heaps = [];
    for await (const heap of heapsOverRuns(${JSON.stringify({ runs, every })})) heaps.push(heap);
    console.log(JSON.stringify(heaps));`;
  const words = ["--expose-gc", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as readonly HeapInUse[];
}

test("memory stays flat over whole runs in one process", async () => {
  const heaps = await heapsInChild(1200, 300);
  expect(heaps.map(({ runs }) => runs)).toEqual([300, 600, 900, 1200]);
  const [warm, ...later] = heaps.map(({ heapMb }) => heapMb);
  // A run that keeps its history or its hosts leaks tens of kilobytes, and 900 runs leak tens of megabytes.
  for (const heapMb of later) expect(heapMb).toBeLessThan((warm ?? 0) + 3);
});
