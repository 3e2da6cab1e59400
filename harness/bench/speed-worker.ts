/**
 * A process of the speed benchmark: runs plans of the default hunt with the modules of one revision and answers with
 * the processor time that they took. The first argument is the root of that revision's sources.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Faults from "../../faults/registry.ts";
import type * as Contention from "../../workloads/contention.ts";
import type * as Properties from "../campaign/required-properties.ts";
import type * as Running from "../campaign/run-simulated.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type * as Topology from "../core/topology.ts";

/** Plans to run: `count` of those of one lock on one topology, from the one at `start` on. */
export interface SpeedTask {
  readonly lock: string;
  readonly topology: TopologyKind;
  readonly start: number;
  readonly count: number;
}

export interface SpeedAnswer {
  /** Of all threads of the process, the engine's own included. */
  readonly cpuMs: number;
  /** One word for each plan. */
  readonly verdicts: readonly string[];
}

/** The plans are the same in every process. */
const SEED = 4711;

const [root = ""] = process.argv.slice(2);
const url = (path: string): string => pathToFileURL(join(root, path)).href;

// First: libraries store functions of the platform when they are loaded.
const { runSimulated } = (await import(url("harness/campaign/run-simulated.ts"))) as typeof Running;
const { faults } = (await import(url("faults/registry.ts"))) as typeof Faults;
const { contentionPlans } = (await import(url("workloads/contention.ts"))) as typeof Contention;
const { topologySchema } = (await import(url("harness/core/topology.ts"))) as typeof Topology;
const { requiredProperties } = (await import(url("harness/campaign/required-properties.ts"))) as typeof Properties;
const { default: fc } = await import("fast-check");

process.on("message", (task: SpeedTask) => void answer(task).then((reply) => process.send?.(reply)));

async function answer({ lock, topology: kind, start, count }: SpeedTask): Promise<SpeedAnswer> {
  const topology = topologySchema.parse({ kind });
  const drawn = contentionPlans({ lock, topology, faults, retries: true });
  const plans = fc.sample(drawn, { seed: SEED, numRuns: start + count }).slice(start);
  const verdicts: string[] = [];
  const before = process.cpuUsage();
  for (const plan of plans) {
    const { record } = await runSimulated(plan, { title: "speed", required: requiredProperties(plan) });
    verdicts.push(record.verdict.verdict);
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, verdicts };
}
