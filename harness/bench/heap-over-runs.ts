import { runSimulated } from "../campaign/run-simulated.ts";
import { HarnessError, UserError } from "../core/errors.ts";
import { PLAN_SIZES, sizedPlan } from "./sized-plans.ts";

export const TOPOLOGIES_IN_TURN = ["single", "redlock", "sentinel"] as const;

/** The heap in use after this many runs. */
export interface HeapInUse {
  readonly runs: number;
  readonly heapMb: number;
}

/**
 * Runs small plans in simulation, one after another, each with its own seed, and returns the heap in use after every
 * `every` runs.
 * @throws UserError when this process cannot collect its garbage on demand (`--expose-gc`)
 */
export async function* heapsOverRuns({
  runs,
  every,
}: {
  readonly runs: number;
  readonly every: number;
}): AsyncGenerator<HeapInUse> {
  const [size] = PLAN_SIZES;
  for (let run = 1; run <= runs; run += 1) {
    const kind = TOPOLOGIES_IN_TURN[run % TOPOLOGIES_IN_TURN.length];
    if (kind === undefined || size === undefined) throw new HarnessError("there are topologies and sizes");
    const { record } = await runSimulated(sizedPlan(kind, size, run), {
      title: "memory",
      required: ["mutual-exclusion"],
    });
    if (record.verdict.verdict !== "valid") throw new HarnessError(`a sound lock's run was ${record.verdict.verdict}`);
    if (run % every === 0) yield { runs: run, heapMb: await heapInUse() };
  }
}

/** Megabytes, after the garbage of finalizers and timers of the last runs was collected too. */
async function heapInUse(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new UserError("the heap cannot be measured", "start node with --expose-gc");
  await gc({ type: "major", execution: "async" });
  await new Promise((resolve) => void setTimeout(resolve, 5));
  await gc({ type: "major", execution: "async" });
  return process.memoryUsage().heapUsed / 1e6;
}
