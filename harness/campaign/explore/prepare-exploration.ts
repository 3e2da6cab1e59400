import { createHash } from "node:crypto";
import { findLock } from "../../../lock-impl/registry.ts";
import { contenders } from "../../../workloads/contenders.ts";
import { isModulePath, loadDriver } from "../../client/load-driver.ts";
import { digestOfDriver } from "../../client/driver-code.ts";
import { UserError } from "../../core/errors.ts";
import { type Plan, planSchema } from "../../core/plan.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import { requireNoWorker } from "../../external/find-worker.ts";
import { requireSimulated } from "../../core/topology.ts";
import type { CampaignIdentity, Shard } from "../campaign-journal.ts";
import { executorOf } from "../execute.ts";
import { basisOf } from "../notes/basis.ts";
import { faultsFor } from "../possible-faults.ts";
import { topologyForLock } from "../topology-for-lock.ts";
import type { ExploreOptions } from "./explore-options.ts";
import type { ExploreParameters } from "./explore-journal.ts";
import type { ExplorerWork } from "./explorer.ts";

const DEFAULT_SEED = 1;
const DEFAULT_RESOLUTION_MS = 10;

/** An exploration that can begin: its options checked and their defaults filled in. */
export interface PreparedExploration {
  /** The name of its journal, without the shard. */
  readonly name: string;
  readonly work: ExplorerWork;
  readonly parameters: ExploreParameters;
  readonly shard: Shard | undefined;
}

/**
 * Checks the options of an exploration and fills in defaults.
 * @throws UserError when the lock cannot be loaded or does not run there, or a fault cannot happen there
 */
export async function prepareExploration(options: ExploreOptions): Promise<PreparedExploration> {
  const { lock, required, shard, seed = DEFAULT_SEED, deviations = 1, keepGoing = false, reduction = true } = options;
  const persistence = options.persistence ?? findLock(lock)?.persistence;
  const topology = topologyForLock(lock, { topology: options.topology, persistence });
  requireSimulated(topology.kind);
  requireNoWorker(lock);
  // The simulation first: it must patch the platform before a library stores one of its functions.
  await executorOf("simulated");
  const { supports } = await loadDriver(lock);
  const kinds = faultsFor(options.faults, "simulated", topology)
    .filter((fault) => fault.choices !== undefined)
    .map(({ kind }) => kind);
  const { workload } = options;
  if (workload !== undefined && workload.faults.length > 0)
    throw new UserError("the workload has faults of its own", "give a plan without faults: explore adds them");
  const plan: Plan =
    workload === undefined
      ? contenders({ lock, topology, seed, clients: options.clients ?? 2, sections: options.sections ?? 1, supports })
      : planSchema.parse({ ...workload, lock, topology, seed });
  const resolutionMs = options.resolutionMs ?? DEFAULT_RESOLUTION_MS;
  const longestMs = topologyOf(topology.kind).workload.longestFaultMs;
  const parameters: ExploreParameters = {
    lock,
    ...(isModulePath(lock) ? { driver: digestOfDriver(lock) } : {}),
    topology,
    faults: kinds,
    deviations,
    required,
    seed,
    reduction,
    resolutionMs,
    longestMs,
    keepGoing,
    workload: digest(JSON.stringify(plan.clients)),
  };
  const work: ExplorerWork = {
    plan,
    title: `exploration of ${lock}`,
    kinds,
    required,
    basis: basisOf(lock, required),
    reductions: { perHost: reduction, symmetry: reduction, regions: reduction },
    longestMs,
    resolutionMs,
  };
  return { name: explorationName(lock, topology.kind), work, parameters, shard };
}

/** The name of the journal of an exploration. */
export function explorationName(lock: string, topology: string): string {
  return `explore-${lock.replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+|-+$/g, "")}-${topology}`;
}

/** The description of an exploration, for its journal. */
export function explorationIdentity({ parameters, shard }: PreparedExploration): CampaignIdentity {
  const plain = JSON.parse(JSON.stringify(parameters)) as CampaignIdentity["parameters"];
  return { kind: "exploration", parameters: plain, shard };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
