/** A thread of the soundness benchmark: draws plans as a default hunt does, runs them in simulation, and judges them. */
// First: libraries store functions of the platform when they are loaded.
import { keepSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { parentPort } from "node:worker_threads";
import fc from "fast-check";
import { faults } from "../../faults/registry.ts";
import { findLock } from "../../lock-impl/registry.ts";
import { contentionPlans } from "../../workloads/contention.ts";
import { knownToBreak, requiredProperties } from "../campaign/required-properties.ts";
import { messageOf } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import { topologySchema } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { Verdict } from "../core/verdict.ts";

/** Plans to run: `runs` of one lock on one topology, drawn from one seed. */
export interface SoundnessTask {
  readonly lock: string;
  readonly topology: TopologyKind;
  readonly persistence: "none" | "everysec" | "always";
  readonly seed: number;
  readonly runs: number;
  /** The folder for the runs in which the lock broke what it claims. */
  readonly store: string;
}

export interface SoundnessAnswer {
  readonly valid: number;
  readonly unknown: number;
  /** Folders of the runs in which the lock broke what it claims. */
  readonly alarms: readonly string[];
  /**
   * How many runs violated a property that the lock does not claim there, or is known to break, by property and cause.
   */
  readonly limits: Readonly<Record<string, number>>;
  /** The task failed and counts for nothing. */
  readonly error?: string;
}

parentPort?.on("message", (task: SoundnessTask) => {
  void answer(task).then((reply) => parentPort?.postMessage(reply));
});

async function answer(task: SoundnessTask): Promise<SoundnessAnswer> {
  const tally = { valid: 0, unknown: 0, alarms: [] as string[], limits: {} as Record<string, number> };
  try {
    for (const plan of drawn(task)) {
      const run = await runSimulated(plan, { title: "soundness", required: requiredProperties(plan) });
      const { verdict } = run.record;
      const known = knownToBreak(plan);
      const isAlarm = ({ property, claimed }: Violated): boolean => claimed && !known.has(property);
      const violated = violatedIn(verdict);
      if (violated.some(isAlarm)) tally.alarms.push(keepSimulated(run, task.store).folder);
      else tally[verdict.verdict === "unknown" ? "unknown" : "valid"] += 1;
      for (const what of new Set(violated.filter((each) => !isAlarm(each)).map(inWords))) {
        tally.limits[what] = (tally.limits[what] ?? 0) + 1;
      }
    }
    return tally;
  } catch (error) {
    return { ...tally, error: `${task.lock} on ${task.topology}, seed ${task.seed}: ${messageOf(error)}` };
  }
}

function drawn({ lock, topology: kind, persistence, seed, runs }: SoundnessTask): readonly Plan[] {
  const topology = topologySchema.parse({ kind, persistence });
  const supports = findLock(lock)?.supports;
  return fc.sample(contentionPlans({ lock, topology, faults, retries: true, supports }), { seed, numRuns: runs });
}

interface Violated {
  readonly property: string;
  readonly cause: string;
  readonly claimed: boolean;
}

function violatedIn({ properties, required }: Verdict): readonly Violated[] {
  return Object.entries(properties).flatMap(([property, { violations }]) => {
    const claimed = required.some((each) => each === property);
    return violations.map(({ cause }) => ({ property, cause, claimed }));
  });
}

function inWords({ property, cause }: Violated): string {
  return `${property}: ${cause}`;
}
