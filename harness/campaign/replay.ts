import { loadDriver } from "../client/load-driver.ts";
import { lockFacts } from "../client/lock-facts.ts";
import type { Plan } from "../core/plan.ts";
import { PROMISABLE, PROPERTIES, type Property, type Verdict } from "../core/verdict.ts";
import { refuseImpossibleEvents } from "../core/messages/refuse-events.ts";
import { readPlan } from "../run/store.ts";
import type { Backend } from "../core/topologies/backend.ts";
import { type ExecutedRun, executorOf, proven } from "./execute.ts";
import { keepRun, type KeptRun } from "./kept-run.ts";
import { planPath } from "../run/plan-path.ts";
import { type PreviousRun, previousRun } from "./previous-run.ts";
import { alsoExclusive } from "./required-properties.ts";
import type { RunEnvironment } from "./run-environment.ts";

export interface ReplayOptions {
  /** A lock other than the plan's own: a name, or the path of a driver. */
  readonly lock?: string | undefined;
  /** Default: the one it ran on. */
  readonly backend?: Backend | undefined;
  /** The properties that decide. Default: those that decided then. */
  readonly required?: readonly Property[] | undefined;
}

/** How a replay compares with the run that the plan comes from. */
export type ReplayComparison =
  /** The same, event for event. */
  | { readonly kind: "same"; readonly traceHash: string }
  /** Another trace: the lock or lockstorm has changed since. */
  | { readonly kind: "other" }
  /** Real processes, on these servers, showed some of the causes that the simulation had found. */
  | { readonly kind: "confirmed"; readonly causes: readonly string[]; readonly on: Exclude<Backend, "simulated"> }
  /** They did not show these causes. */
  | {
      readonly kind: "simulation-only";
      readonly causes: readonly string[];
      readonly on: Exclude<Backend, "simulated">;
    };

/** A plan that was run again, judged and kept, with its causes proven. */
export interface Replay extends KeptRun {
  /** Absent where nothing is known about the previous run, or another lock was asked for. */
  readonly comparison?: ReplayComparison | undefined;
}

/**
 * Runs a saved plan again, on the backend it ran on or on the other, judged by the properties that decided then. A plan
 * without its run is judged by all properties for a registered lock, and by what a lock can promise for a user's own.
 * @param planFile a path; a plan of the documentation may be named as its page does, in any folder
 * @throws UserError when the plan cannot be read, or cannot run there
 */
export async function replay(
  planFile: string,
  options: ReplayOptions = {},
  environment: RunEnvironment = {},
): Promise<Replay> {
  const saved = readPlan(planPath(planFile));
  refuseImpossibleEvents(saved);
  const previous = previousRun(planFile);
  const usual = previous.backend ?? "simulated";
  const { lock, backend = usual } = options;
  const plan = { ...saved, lock: lock ?? saved.lock };
  const execute = await executorOf(backend);
  const required = options.required ?? previous.required ?? (await decidingByDefault(plan));
  const run = await execute(plan, { ...environment, title: `replay of ${planFile}`, required, wire: true });
  const kept = keepRun(await proven(run), environment.drawRun);
  return { ...kept, comparison: lock === undefined ? compare(previous, run, backend) : undefined };
}

/** What decides of a plan without its run. A user's own lock is loaded, because its driver says whether it has leases. */
async function decidingByDefault(plan: Plan): Promise<readonly Property[]> {
  if (lockFacts(plan.lock)?.claims !== undefined) return PROPERTIES;
  await loadDriver(plan.lock);
  return alsoExclusive(plan, PROMISABLE);
}

function compare(
  previous: PreviousRun,
  { record, traceHash }: ExecutedRun,
  backend: Backend,
): ReplayComparison | undefined {
  if (previous.traceHash === undefined || previous.verdict === undefined) return undefined;
  if (backend === "simulated") {
    return traceHash === previous.traceHash ? { kind: "same", traceHash } : { kind: "other" };
  }
  if (previous.verdict !== "invalid") return undefined;
  const causes = causesOf(record.verdict).filter((cause) => previous.causes.includes(cause));
  return causes.length > 0
    ? { kind: "confirmed", causes, on: backend }
    : { kind: "simulation-only", causes: previous.causes, on: backend };
}

function causesOf({ properties }: Verdict): readonly string[] {
  return Object.values(properties).flatMap(({ violations }) => violations.map(({ cause }) => cause));
}
