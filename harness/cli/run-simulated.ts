// First: libraries keep functions of the platform when they are loaded.
import "../simulated/platform/install.ts";
import { faults } from "../../faults/registry.ts";
import { checkHistory } from "../check/check.ts";
import type { CheckerFactory } from "../check/checker.ts";
import { loadDriver } from "../client/load-driver.ts";
import type { LockDriver } from "../../lock-impl/driver.ts";
import type { Plan } from "../core/plan.ts";
import { simulatedTopology } from "../core/topology.ts";
import type { Property } from "../core/verdict.ts";
import { runPlan } from "../run/run-plan.ts";
import type { LineSink } from "../run/recorder.ts";
import { RunFolder } from "../run/store.ts";
import { simulate } from "../simulated/system/simulate.ts";
import type { RunRecord } from "../../reports/run-record.ts";

/** A simulated run that is over. */
export interface SimulatedRun {
  readonly plan: Plan;
  readonly record: RunRecord;
  /** Equal for equal runs: the same plan and the same code. */
  readonly traceHash: string;
}

/** A run that has a folder. */
export interface KeptRun {
  readonly record: RunRecord;
  readonly folder: string;
}

const drivers = new Map<string, Promise<LockDriver>>();

/**
 * Runs a plan in simulation and judges it. Nothing is written but what `sink` writes: a run takes a millisecond.
 * @throws UserError when the plan names an unknown lock or fault, or a topology that is in containers only; HarnessError when the simulation broke down
 */
export async function runSimulated(
  plan: Plan,
  options: {
    readonly title: string;
    readonly required: readonly Property[];
    /** The checkers to run, where not all are wanted. */
    readonly checkers?: readonly CheckerFactory[];
    readonly sink?: LineSink;
    /** The lock, where it is not what the plan's `lock` names. */
    readonly driver?: LockDriver;
  },
): Promise<SimulatedRun> {
  const { title, sink, required, checkers } = options;
  // Before the lock is loaded, which may need what is installed for containers only.
  simulatedTopology(plan.topology.kind);
  const driver = options.driver ?? (await driverNamed(plan.lock));
  const facts = { backend: "simulated", persistence: plan.topology.persistence, title };
  const { value, traceHash } = await simulate({ plan, driver }, (system) =>
    runPlan({ plan, system, faults, facts, ...(sink === undefined ? {} : { sink }) }),
  );
  const { history } = value;
  const verdict = checkHistory(history, { required, ...(checkers === undefined ? {} : { checkers }) });
  return { plan, record: { plan, history, verdict, title }, traceHash };
}

function driverNamed(lock: string): Promise<LockDriver> {
  let driver = drivers.get(lock);
  if (driver === undefined) drivers.set(lock, (driver = loadDriver(lock)));
  return driver;
}

/** Keeps a simulated run as every run is kept, and says how to replay it. */
export function keepSimulated({ record, traceHash, plan }: SimulatedRun, store: string): KeptRun {
  const { history, verdict } = record;
  using folder = RunFolder.create(store, plan, new Date());
  folder.sink(`${JSON.stringify(history.header)}\n`);
  for (const event of history.events) folder.sink(`${JSON.stringify(event)}\n`);
  folder.writeVerdict(verdict);
  folder.write("trace.json", `${JSON.stringify({ hash: traceHash })}\n`);
  const replayCommand = record.replayCommand ?? `npx lockstorm replay ${folder.planFile}`;
  return { record: { ...record, replayCommand }, folder: folder.path };
}
