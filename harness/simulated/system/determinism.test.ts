import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { runSimulated } from "./testing/simulated-run.ts";
import { plansToRepeat, shakenPlans } from "./testing/plans-to-repeat.ts";
import { hashesOf } from "./testing/trace-hashes.ts";

const { faults } = await import("../../../faults/registry.ts");

/** `determinism.long.test.ts` repeats them 50 times. */
const RUNS = 2;
const program = fileURLToPath(new URL("testing/trace-hashes.ts", import.meta.url));

describe("the same plan", () => {
  test.each(plansToRepeat())(`gives one hash in ${RUNS} runs: %s`, async (_, plan) => {
    expect(await hashesOf(plan, RUNS)).toHaveLength(1);
  });

  test("gives it in another process too, in another time zone", async () => {
    const TZ = "Asia/Kathmandu";
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

test("every kind of fault takes effect in what is repeated, on every topology where it can occur", async () => {
  const installed = new Set<string>();
  const possible = new Set<string>();
  for (const [, plan] of shakenPlans()) {
    const { kind } = plan.topology;
    for (const event of (await runSimulated(plan)).history.events) {
      if (event.type !== "fault" || event.value.phase !== "start" || event.value.outcome !== "installed") continue;
      installed.add(event.f).add(`${event.f} on ${kind}`);
    }
    for (const fault of faults) {
      if (fault.arbitrary(plan.topology, 2) !== undefined) possible.add(`${fault.kind} on ${kind}`);
    }
  }
  expect([...installed]).toEqual(expect.arrayContaining([...possible, ...faults.map(({ kind }) => kind)]));
});

test.each(plansToRepeat())("another seed gives another hash: %s", async (_, plan) => {
  const one = await runSimulated(plan);
  const other = await runSimulated({ ...plan, seed: plan.seed + 1 });
  expect(one.traceHash).not.toBe(other.traceHash);
});
