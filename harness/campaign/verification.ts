// First: it patches the platform, and libraries store functions of the platform when they are loaded.
import { keepSimulated, proveSimulated, runSimulated, type SimulatedRun } from "./run-simulated.ts";
import { faults } from "../../faults/registry.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { maxHoldShareFor } from "../../workloads/contention.ts";
import type { Recurrence } from "../core/recurrence.ts";
import { heartbeat } from "../client/heartbeat.ts";
import { noteStatements } from "../client/load-driver.ts";
import type { LockDriver } from "../core/lock-driver.ts";
import type { Plan } from "../core/plan.ts";
import type { RunNote } from "../core/run-note.ts";
import { type QuietRun, type ResidualRisk, residualRiskOf } from "../core/statistics/residual-risk.ts";
import { ordersIn } from "../history/orders.ts";
import type { TopologySpec } from "../core/topology.ts";
import { PROMISABLE, type Property } from "../core/verdict.ts";
import { keepRecurring } from "./kept-run.ts";
import { simulatedDriver } from "./simulated-driver.ts";
import { learnSimulated } from "./systematic/learn.ts";
import { Regressions } from "./regressions.ts";
import { alsoExclusive, requiredProperties } from "./required-properties.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { notesOf } from "./notes/run-notes.ts";
import { search } from "./search.ts";
import { type TalliedNote, tally } from "./notes/tally.ts";

/** A verification as data, so that it can be sent to another process. */
export interface VerificationOptions {
  /** The lock's name in plans: a registered name, a module's path, or the label of a factory. */
  readonly lock: string;
  readonly title: string;
  readonly topology: TopologySpec;
  /** Kinds of faults to draw from. */
  readonly faults: readonly string[];
  /** Absent: what a lock can promise. */
  readonly required?: readonly Property[] | undefined;
  readonly runs: number;
  readonly shrinkRuns: number;
  readonly budgetMs: number;
  readonly seed: number;
  readonly path?: string | undefined;
  readonly store: string;
  /** The command that leads back to a counterexample, if it is not `lockstorm replay`. */
  readonly replayCommand?: string | undefined;
}

/** The outcome of a verification. */
export interface VerificationResult {
  readonly seed: number;
  readonly runs: number;
  readonly valid: number;
  readonly unknown: number;
  readonly notes: readonly TalliedNote[];
  /** True when the budget or the signal ended it before all runs were done. */
  readonly cutShort: boolean;
  /** What the runs leave open; absent with a counterexample, and when no plan was drawn at random. */
  readonly residualRisk?: ResidualRisk | undefined;
  readonly counterexample?: KeptCounterexample | undefined;
}

/** The smallest run that violates a required property, with its causes proven. */
export interface KeptCounterexample {
  readonly record: RunRecord;
  /** The run's folder. */
  readonly folder: string;
  /** The kept plan, which runs first the next time. */
  readonly regression: string;
  /**
   * The path that leads back to it with the same seed; absent for a plan that was kept from a previous verification.
   */
  readonly path?: string | undefined;
  /** How many runs shrinking took. */
  readonly shrinks: number;
  /** How often the violation came again with other seeds. */
  readonly recurrence: Recurrence;
}

/**
 * Verifies a lock in simulation, in this process. Regressions run first, then generated plans until one breaks a
 * required property, which is shrunk and kept.
 * @param driver the lock, if it is not the one that `options.lock` names
 * @throws UserError when the lock cannot be loaded, or does not run there
 */
export async function verify(
  options: VerificationOptions,
  {
    driver,
    signal,
    drawRun,
  }: Pick<RunEnvironment, "signal" | "drawRun"> & { readonly driver?: LockDriver | undefined } = {},
): Promise<VerificationResult> {
  const { lock, topology, title, required, store, seed, path, budgetMs, shrinkRuns, replayCommand } = options;
  heartbeat.keepIn(store);
  const regressions = new Regressions(store);
  const noted: { readonly notes: readonly RunNote[] }[] = [];
  const quiet: QuietRun[] = [];
  const basis = required === undefined ? "promisable" : "asked";
  if (driver !== undefined) noteStatements(lock, driver);
  const { supports } = driver ?? (await simulatedDriver(lock));
  const {
    counterexample,
    furtherRuns: _,
    ...counts
  } = await search<SimulatedRun>({
    drawnFrom: {
      lock,
      topology,
      faults: faults.filter(({ kind }) => options.faults.includes(kind)),
      maxHoldShare: maxHoldShareFor(required ?? PROMISABLE),
      retries: true,
      supports,
    },
    regressions: regressions
      .of(lock, topology.kind)
      .filter((plan) => plan.faults.every(({ kind }) => options.faults.includes(kind))),
    seed,
    path,
    runs: options.runs,
    budgetMs,
    shrinkRuns,
    lasts: true,
    signal,
    learn: learnSimulated({ driver, signal }),
    promises: (plan) => (required ?? promisedUnder(plan)).length,
    onRun: ({ plan, record, verdict }, { shrinking, drawn }) => {
      if (shrinking) return;
      noted.push({ notes: notesOf({ plan, history: record.history, verdict }, basis) });
      if (verdict.verdict === "invalid" || !drawn) return;
      quiet.push({ verdict: verdict.verdict, orders: ordersIn(record.history) });
    },
    run: async (plan, _unwanted, delays) => {
      const run = await runSimulated(plan, { title, required: required ?? promisedUnder(plan), driver, delays });
      return replayCommand === undefined ? run : { ...run, record: { ...run.record, replayCommand } };
    },
  });
  const result = { ...counts, notes: tally(noted) };
  if (counterexample === undefined) {
    const residualRisk = residualRiskOf(quiet);
    return residualRisk === undefined ? result : { ...result, residualRisk };
  }
  const { shrinks, path: found, otherSeeds } = counterexample;
  const recurrence: Recurrence = otherSeeds === undefined ? {} : { otherSeeds };
  const run = await proveSimulated(counterexample.run, { driver });
  const regression = regressions.keep(run.plan);
  const kept = keepRecurring({ keep: () => keepSimulated(run, store) }, recurrence, drawRun);
  return { ...result, counterexample: { ...kept, regression, path: found, shrinks, recurrence } };
}

/**
 * The properties that decide by default. The faults are requested ones or those that a sound lock survives. Only a
 * library that sends commands again is exempt from linearizability, because no order of operations explains its
 * answers.
 */
function promisedUnder(plan: Plan): readonly Property[] {
  const promised = requiredProperties(plan);
  const others = PROMISABLE.filter((property) => property !== "linearizability" || promised.includes(property));
  return alsoExclusive(plan, others);
}
