import "../../platform/install.ts";
import type { Plan } from "../../../core/plan.ts";
import type { History, RunEnd } from "../../../history/history.ts";
import type { Property, Verdict } from "../../../core/verdict.ts";

// Modules that load a client's library must come after the patches.
const { faults } = await import("../../../../faults/registry.ts");
const { checkHistory } = await import("../../../check/check.ts");
const { loadDriver } = await import("../../../client/load-driver.ts");
const { runPlan } = await import("../../../run/run-plan.ts");
const { simulate } = await import("../simulate.ts");

export interface SimulatedRun {
  readonly history: History;
  readonly end: RunEnd;
  readonly traceHash: string;
  readonly events: number;
}

/** Runs a plan in simulation, as the command line does. */
export async function runSimulated(
  plan: Plan,
  options: { readonly checkDescent?: boolean; readonly onTrace?: (line: string) => void } = {},
): Promise<SimulatedRun> {
  const driver = await loadDriver(plan.lock);
  const { value, traceHash, events } = await simulate({ plan, driver, ...options }, (system) =>
    runPlan({ plan, system, faults, facts: { backend: "simulated" } }),
  );
  return { ...value, traceHash, events };
}

/** Judges a run by the properties given. */
export function judge({ history }: SimulatedRun, required: readonly Property[]): Verdict {
  return checkHistory(history, { required });
}
