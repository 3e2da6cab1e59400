import type { Delays } from "./recurrence/delays.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { RunRecord } from "../../reports/run/run-record.ts";
import type { ContainerPool } from "../containers/container-pool.ts";
import type { Plan } from "../core/plan.ts";
import type { Property } from "../core/verdict.ts";
import { replaceFile } from "../run/output-file.ts";
import type { Backend } from "../core/topologies/backend.ts";
import type { KeptRun } from "./kept-run.ts";
import { FailedRunError } from "./real-time/failed-run.ts";
import type { RunEnvironment } from "./run-environment.ts";

export interface ExecuteOptions extends RunEnvironment {
  readonly title: string;
  /** The properties that decide the verdict. */
  readonly required: readonly Property[];
  /** In simulation: how long things take that the plan does not say. Default: nearly no time. */
  readonly delays?: Delays | undefined;
  /** Records the wire beside the history, where the backend can. Default: false. */
  readonly wire?: boolean | undefined;
  /** Servers that stay up between the runs of a campaign. */
  readonly pool?: ContainerPool | undefined;
  /** Ends the run, and deletes what was recorded of it. */
  readonly unwanted?: AbortSignal | undefined;
}

/** A run that is over and judged. */
export interface ExecutedRun {
  readonly record: RunRecord;
  /** Of a simulated run. */
  readonly traceHash?: string;
  /** Gives the run a folder, unless it has one already, as on containers. */
  readonly keep: () => KeptRun;
  /** Deletes what was recorded of it; absent where nothing was. */
  readonly discard?: () => void;
  /** The same run with its causes proven, as far as simulated runs of its plan prove them: at most a few dozen runs. */
  readonly prove?: () => Promise<ExecutedRun>;
}

export type Execute = (plan: Plan, options: ExecuteOptions) => Promise<ExecutedRun>;

/** The run with its causes proven, if it violated a property. */
export async function proven(run: ExecutedRun): Promise<ExecutedRun> {
  const { properties } = run.record.verdict;
  const broken = Object.values(properties).some(({ violations }) => violations.length > 0);
  return broken && run.prove !== undefined ? run.prove() : run;
}

/** Runs plans on a backend. Loaded only now: the simulation patches the platform, containers need many modules. */
export async function executorOf(backend: Backend): Promise<Execute> {
  if (backend === "simulated") return (await import("./simulated-executor.ts")).executeSimulated;
  return backend === "live"
    ? executorInRealTime((await import("./real-time/run-live.ts")).runLive)
    : executorInRealTime((await import("./run-on-containers.ts")).runOnContainers);
}

/** Servers that stay up between runs, for up to `parallel` runs at a time; a simulation, live or not, needs none. */
export async function poolFor(backend: Backend, parallel = 1): Promise<ContainerPool | undefined> {
  if (backend !== "containers") return undefined;
  const containers = await import("../containers/container-pool.ts");
  return new containers.ContainerPool(parallel);
}

/**
 * Runs with real processes, each in a folder of its own from the start. One of which a client was ended from outside the plan,
 * by its lock or by the system, is taken for what its history shows: that is no failure of the harness.
 */
function executorInRealTime(run: (plan: Plan, options: ExecuteOptions) => Promise<KeptRun>): Execute {
  return async (plan, options) => {
    try {
      return executedInRealTime(await run(plan, options));
    } catch (error) {
      if (error instanceof FailedRunError && error.isOfClient) return executedInRealTime(error.run);
      throw error;
    }
  };
}

/** A run with real processes, which has a folder. */
export function executedInRealTime(kept: KeptRun): ExecutedRun {
  return {
    ...kept,
    keep: () => kept,
    discard: () => rmSync(kept.folder, { recursive: true }),
    prove: () => provenBySimulation(kept),
  };
}

/**
 * A run in real time with the causes that simulated runs of its plan prove. The verdict in its folder is rewritten.
 */
async function provenBySimulation(run: KeptRun): Promise<ExecutedRun> {
  const { proveBySimulation } = await import("./run-simulated.ts");
  const record = await proveBySimulation(run.record);
  const kept = { ...run, record };
  replaceFile(join(run.folder, "verdict.json"), `${JSON.stringify(record.verdict, undefined, 2)}\n`);
  return { ...kept, keep: () => kept };
}
