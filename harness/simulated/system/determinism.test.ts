import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { runSimulated } from "./testing/simulated-run.ts";
import { hashesOf, plansToRepeat } from "./testing/trace-hashes.ts";

const RUNS = 200;
const program = fileURLToPath(new URL("testing/trace-hashes.ts", import.meta.url));

describe("the same plan", () => {
  test.each(plansToRepeat())(`gives one hash in ${RUNS} runs: %s`, async (_, plan) => {
    expect(await hashesOf(plan, RUNS)).toHaveLength(1);
  });

  test.each(["Asia/Kathmandu", "America/St_Johns"])("gives it in another process too, in %s", async (TZ) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env: { ...process.env, TZ } });
    const elsewhere = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    const here: unknown[] = [];
    for (const [name, plan] of plansToRepeat()) here.push([name, (await runSimulated(plan)).traceHash]);
    expect(elsewhere).toEqual(here);
  });
});

test.each(plansToRepeat())("another seed gives another hash: %s", async (_, plan) => {
  const one = await runSimulated(plan);
  const other = await runSimulated({ ...plan, seed: plan.seed + 1 });
  expect(one.traceHash).not.toBe(other.traceHash);
});
