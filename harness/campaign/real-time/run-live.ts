import { sweepProcesses } from "../../containers/cleanup/sweep.ts";
import { UserError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { requireSimulated, type TopologySpec } from "../../core/topology.ts";
import { LIVE_MOMENTS } from "../../live/live-messages.ts";
import { startLiveSystem } from "../../live/live-system.ts";
import { cleanup } from "../cleanup.ts";
import type { ExecuteOptions } from "../execute.ts";
import type { KeptRun } from "../kept-run.ts";
import { runInRealTime } from "./run-in-real-time.ts";
import { validatePlan } from "../validate-plan.ts";

let swept: Promise<void> | undefined;

/** @throws UserError when client processes cannot run here, or not on such servers */
export function requireLive({ kind }: TopologySpec): void {
  requireSimulated(kind);
  if (process.platform !== "linux") {
    // How a process stands is read from /proc.
    throw new UserError("client processes need Linux", "run lockstorm on Linux, or with --backend simulated");
  }
}

/** Once per process, the leftovers of earlier runs are removed. */
export async function prepareLive(): Promise<void> {
  cleanup.isDue = true;
  await (swept ??= sweepProcesses());
}

/**
 * Runs a plan with client processes on the simulated servers, in real time, and judges it. Needs no container engine.
 * @throws UserError before anything is started, when the plan cannot run here
 * @throws FailedRunError when the system failed after the run had begun; HarnessError when it cannot begin. The error says
 * where the history so far is.
 */
export async function runLive(plan: Plan, options: ExecuteOptions): Promise<KeptRun> {
  requireLive(plan.topology);
  await validatePlan(plan, LIVE_MOMENTS);
  await prepareLive();
  return runInRealTime(plan, options, {
    facts: { backend: "live", pace: 1 },
    starting: `starting ${plan.topology.kind} on loopback`,
    start: (logFolder) => startLiveSystem(plan, { logFolder, wire: options.wire }),
    replayFlags: " --backend live",
  });
}
