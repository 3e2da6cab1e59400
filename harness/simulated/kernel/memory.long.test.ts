// @module-tag long
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../network/testing/stormy-run.ts", import.meta.url));

/** Megabytes of heap in use after 500, 1000, 1500 ... simulations in one process, each after a full collection. */
function heapsInChild(): number[] {
  const script = `
    const { stormyRun } = await import(${JSON.stringify(PROGRAM)});
    const heaps = [];
    for (let seed = 0; seed < 3000; seed += 1) {
      await stormyRun(seed, 3);
      if (seed % 500 !== 499) continue;
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
      globalThis.gc();
      heaps.push(process.memoryUsage().heapUsed / 1e6);
    }
    console.log(JSON.stringify(heaps));`;
  const output = execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  return JSON.parse(output) as number[];
}

test("memory stays flat over thousands of simulations in one process", () => {
  const [warm = 0, ...later] = heapsInChild();
  expect(later).toHaveLength(5);
  for (const heap of later) expect(heap).toBeLessThan(warm + 3);
});
