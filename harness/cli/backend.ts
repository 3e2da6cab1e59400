import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainerPool } from "../containers/container-pool.ts";
import type { NodeServer } from "../containers/images.ts";
import type { Plan } from "../core/plan.ts";
import type { Property } from "../core/verdict.ts";
import { renderHtml } from "../../reports/html.ts";
import type { RunRecord } from "../../reports/run-record.ts";
import type { Flag } from "./command.ts";
import type { Progress } from "./progress.ts";

export const BACKENDS = ["simulated", "containers"] as const;
export type Backend = (typeof BACKENDS)[number];

/** The flag that chooses the backend. */
export const backendFlag: Flag = {
  value: "backend",
  help: "simulated (a deterministic simulation: fast, exact) or containers (real servers)",
};

interface ExecuteOptions {
  readonly title: string;
  readonly required: readonly Property[];
  readonly store: string;
  readonly server: NodeServer;
  readonly proxyPort: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Servers kept between the runs of a campaign. */
  readonly pool?: ContainerPool;
}

export interface ExecutedRun {
  readonly record: RunRecord;
  /** Of a simulated run. */
  readonly traceHash?: string;
  /** Gives the run a folder, unless it has one already, as on containers. */
  readonly keep: () => KeptRun;
}

/** A run that has a folder, with a report in it. */
export interface KeptRun {
  readonly record: RunRecord;
  readonly folder: string;
}

export type Execute = (plan: Plan, options: ExecuteOptions) => Promise<ExecutedRun>;

/** Keeps a run and draws it: `report.html` in its folder. */
export function keepRun(run: ExecutedRun): KeptRun {
  const kept = run.keep();
  writeFileSync(join(kept.folder, "report.html"), renderHtml({ runs: [kept.record] }));
  return kept;
}

/** What runs plans on a backend. Loaded only now: the simulation patches the platform, containers need many modules. */
export async function executorOf(backend: Backend): Promise<Execute> {
  if (backend === "simulated") {
    const { runSimulated, keepSimulated } = await import("./run-simulated.ts");
    return async (plan, options) => {
      const run = await runSimulated(plan, options);
      return { ...run, keep: () => keepSimulated(run, options.store) };
    };
  }
  const { runOnContainers } = await import("./run-on-containers.ts");
  return async (plan, { pool, ...options }) => {
    const run = await runOnContainers(plan, {
      ...options,
      ...(pool === undefined ? {} : { start: (...system) => pool.start(...system) }),
    });
    return { ...run, keep: () => run };
  };
}
