import type { Plan } from "../../../core/plan.ts";
import { plansToRepeat } from "./plans-to-repeat.ts";
import { runSimulated } from "./simulated-run.ts";

/** The distinct hashes of `times` runs of a plan. */
export async function hashesOf(plan: Plan, times: number): Promise<readonly string[]> {
  const hashes = new Set<string>();
  for (let run = 0; run < times; run += 1) hashes.add((await runSimulated(plan)).traceHash);
  return [...hashes];
}

/** Run as a program, prints each plan's hash. */
if (import.meta.main) {
  for (const [name, plan] of plansToRepeat()) {
    process.stdout.write(`${JSON.stringify([name, (await runSimulated(plan)).traceHash])}\n`);
  }
  process.exit(0);
}
