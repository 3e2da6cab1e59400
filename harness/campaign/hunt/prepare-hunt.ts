import { createHash, randomInt } from "node:crypto";
import { isModulePath, loadDriver } from "../../client/load-driver.ts";
import { digestOfDriver } from "../../client/driver-code.ts";
import { describeWorker } from "../../external/describe-worker.ts";
import type { Capabilities } from "../../external/capabilities.ts";
import { findWorker, requireNoWorker } from "../../external/find-worker.ts";
import type { Fault } from "../../core/fault.ts";
import type { Plan } from "../../core/plan.ts";
import { requireSimulated, type TopologySpec } from "../../core/topology.ts";
import type { Supports } from "../../core/sharing.ts";
import type { Property } from "../../core/verdict.ts";
import type { Backend } from "../../core/topologies/backend.ts";
import { type CampaignIdentity, findIdentity, type Shard } from "../campaign-journal.ts";
import { executorOf } from "../execute.ts";
import { plansAtATime } from "../parallel/plans-at-a-time.ts";
import { simulationsAtATime } from "../parallel/simulations-at-a-time.ts";
import { promisedProperties } from "../required-properties.ts";
import { faultsFor } from "../possible-faults.ts";
import { Regressions } from "../regressions.ts";
import type { CompleteEnvironment } from "../run-environment.ts";
import { topologyForLock } from "../topology-for-lock.ts";
import { type HuntParameters, huntParametersSchema } from "./hunt-journal.ts";
import type { HuntOptions } from "./hunt-options.ts";

/** A simulated run takes one to a few milliseconds, a run in real time seconds. */
const DEFAULT_RUNS: Readonly<Record<Backend, { readonly runs: number; readonly shrinkRuns: number }>> = {
  simulated: { runs: 1000, shrinkRuns: 500 },
  live: { runs: 20, shrinkRuns: 20 },
  containers: { runs: 20, shrinkRuns: 20 },
};

/** A hunt that can begin: its options checked and their defaults filled in. */
export interface PreparedHunt {
  /** The name of its journal and reports, without the shard. */
  readonly name: string;
  readonly backend: Backend;
  readonly topology: TopologySpec;
  /** What a lock in another language says that it can do. */
  readonly capabilities: Capabilities | undefined;
  /** What it supports beyond one holder at a time. */
  readonly supports: Supports;
  readonly faults: readonly Fault[];
  readonly required: readonly Property[] | undefined;
  readonly budgetMs: number | undefined;
  /** How many threads simulate, or how many plans run at a time on containers. */
  readonly threads: number;
  readonly path: string | undefined;
  readonly confirms: boolean;
  readonly shard: Shard | undefined;
  readonly regressions: readonly Plan[];
  readonly parameters: HuntParameters;
}

/**
 * Checks the options of a hunt and fills in defaults. A resumed hunt keeps the seed and the regressions that it began
 * with.
 * @throws UserError when the lock cannot be loaded or does not run there, or a fault cannot happen there
 */
export async function prepareHunt(
  options: HuntOptions,
  { store, server, proxyPort }: Pick<CompleteEnvironment, "store" | "server" | "proxyPort">,
): Promise<PreparedHunt> {
  const { lock, backend = "simulated", required, budgetMs, path, shard } = options;
  const topology = topologyForLock(lock, options);
  if (backend !== "containers") requireSimulated(topology.kind);
  if (backend === "simulated") requireNoWorker(lock);
  // The backend first: the simulation must patch the platform before a library stores one of its functions.
  await executorOf(backend);
  const driver = await loadDriver(lock);
  const worker = findWorker(lock);
  const capabilities = worker === undefined ? undefined : await describeWorker(worker);
  const faults = faultsFor(options.faults, backend, topology);
  const threads =
    backend === "simulated"
      ? (options.threads ?? simulationsAtATime())
      : await plansAtATime(backend, options.threads, { proxyPort });
  const supports = (worker === undefined ? driver.supports : capabilities?.supports) ?? {};
  const name = huntName(lock, topology.kind);
  const begun = options.resume === true && path === undefined ? begunBefore(store, name, shard) : undefined;
  const regressions = path === undefined ? regressionsFor({ store, lock, topology, faults, begun }) : [];
  const parameters: HuntParameters = {
    lock,
    ...(isModulePath(lock) ? { driver: digestOfDriver(lock) } : {}),
    backend,
    ...(backend === "containers" ? { server } : {}),
    capabilities,
    topology,
    faults: faults.map(({ kind }) => kind),
    required,
    seed: options.seed ?? begun?.seed ?? randomInt(0x7fff_ffff),
    runs: options.runs ?? DEFAULT_RUNS[backend].runs,
    shrinkRuns: options.shrinkRuns ?? DEFAULT_RUNS[backend].shrinkRuns,
    regressions: regressions.map(digestOf),
    promised: required ?? promisedProperties({ lock, topology, supports, fence: capabilities?.fence === true }),
  };
  const confirms = options.confirm === true;
  return {
    name,
    backend,
    topology,
    capabilities,
    supports,
    faults,
    required,
    budgetMs,
    threads,
    path,
    confirms,
    shard,
    regressions,
    parameters,
  };
}

/** The name of the journal and the reports of a hunt. */
export function huntName(lock: string, topology: string): string {
  return `hunt-${lock.replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+|-+$/g, "")}-${topology}`;
}

/** The description of a hunt, for its journal. */
export function identityOf({ parameters, shard }: PreparedHunt): CampaignIdentity {
  return {
    kind: "hunt",
    parameters: JSON.parse(JSON.stringify(parameters)) as CampaignIdentity["parameters"],
    shard,
  };
}

function begunBefore(store: string, name: string, shard: Shard | undefined): HuntParameters | undefined {
  return huntParametersSchema.safeParse(findIdentity(store, name, shard)?.parameters).data;
}

/** Plans that broke the lock before and contain only the requested faults. */
function regressionsFor(options: {
  readonly store: string;
  readonly lock: string;
  readonly topology: TopologySpec;
  readonly faults: readonly Fault[];
  readonly begun: HuntParameters | undefined;
}): readonly Plan[] {
  const { store, lock, topology, faults, begun } = options;
  return new Regressions(store)
    .of(lock, topology.kind)
    .filter((plan) => plan.faults.every((step) => faults.some(({ kind }) => kind === step.kind)))
    .filter((plan) => begun?.regressions.includes(digestOf(plan)) ?? true);
}

function digestOf(plan: Plan): string {
  return digest(JSON.stringify(plan));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
