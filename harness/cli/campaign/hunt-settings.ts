import { createHash, randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { isModulePath, loadDriver } from "../../client/load-driver.ts";
import type { Fault } from "../../core/fault.ts";
import type { Plan } from "../../core/plan.ts";
import { simulatedTopology, type TopologySpec } from "../../core/topology.ts";
import { type CampaignIdentity, findIdentity, type Shard } from "../../run/campaign-journal.ts";
import { Regressions } from "../../run/regressions.ts";
import { type Backend, BACKENDS } from "../backend.ts";
import { readFaults, readTopology } from "../campaign-command.ts";
import type { Flags } from "../command.ts";
import { readRunFlags } from "../common-flags.ts";
import { type HuntParameters, huntParametersSchema } from "./hunt-journal.ts";
import { readSeed } from "./seed.ts";
import { readShard } from "./shard.ts";

/** A simulated run takes a millisecond or a few, one on containers seconds. */
const DEFAULT_RUNS: Readonly<Record<Backend, { readonly runs: number; readonly shrinkRuns: number }>> = {
  simulated: { runs: 1000, shrinkRuns: 500 },
  containers: { runs: 20, shrinkRuns: 20 },
};

/** What a hunt for one lock was asked to do. */
export interface HuntSettings {
  /** Of its journal and reports, without the shard. */
  readonly name: string;
  readonly backend: Backend;
  readonly topology: TopologySpec;
  readonly faults: readonly Fault[];
  readonly shrinkRuns: number;
  readonly budgetMs?: number;
  /** Straight to one counterexample: there is nothing to resume or to divide then. */
  readonly path?: string;
  readonly shard: Shard | undefined;
  readonly regressions: readonly Plan[];
  readonly parameters: HuntParameters;
}

/**
 * Reads the flags of a hunt for one lock. One that is resumed has the seed and the regressions that it began with.
 * @throws UserError for whatever is wrong with them
 */
export async function readHunt(flags: Flags): Promise<HuntSettings> {
  const { store, server, required } = readRunFlags(flags);
  const backend = flags.choice("backend", BACKENDS) ?? "simulated";
  const lock = flags.text("lock") ?? "single";
  const topology = readTopology(flags, lock);
  if (backend === "simulated") simulatedTopology(topology.kind);
  await loadDriver(lock);
  const faults = readFaults(flags, backend, topology);
  const shard = readShard(flags);
  const path = flags.text("path");
  const budgetSeconds = flags.integer("budget", 1);
  const name = huntName(lock, topology.kind);
  const begun = flags.on("resume") && path === undefined ? begunBefore(store, name, shard) : undefined;
  const regressions = path === undefined ? regressionsFor({ store, lock, topology, faults, begun }) : [];
  const shrinkRuns = flags.integer("shrink-runs", 0) ?? DEFAULT_RUNS[backend].shrinkRuns;
  const parameters: HuntParameters = {
    lock,
    ...(isModulePath(lock) ? { driver: digest(readFileSync(lock, "utf8")) } : {}),
    backend,
    ...(backend === "containers" ? { server } : {}),
    topology,
    faults: faults.map(({ kind }) => kind),
    ...(required === undefined ? {} : { required }),
    seed: readSeed(flags) ?? begun?.seed ?? randomInt(0x7fff_ffff),
    runs: flags.integer("runs", 1) ?? DEFAULT_RUNS[backend].runs,
    shrinkRuns,
    regressions: regressions.map(digestOf),
  };
  return {
    name,
    backend,
    topology,
    faults,
    shrinkRuns,
    ...(budgetSeconds === undefined ? {} : { budgetMs: budgetSeconds * 1000 }),
    ...(path === undefined ? {} : { path }),
    shard,
    regressions,
    parameters,
  };
}

/** What the journal and the reports of a hunt are called. */
export function huntName(lock: string, topology: string): string {
  return `hunt-${lock.replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+|-+$/g, "")}-${topology}`;
}

/** What a hunt is, for its journal. */
export function identityOf({ parameters, shard }: HuntSettings): CampaignIdentity {
  return {
    kind: "hunt",
    parameters: JSON.parse(JSON.stringify(parameters)) as CampaignIdentity["parameters"],
    ...(shard === undefined ? {} : { shard }),
  };
}

function begunBefore(store: string, name: string, shard: Shard | undefined): HuntParameters | undefined {
  return huntParametersSchema.safeParse(findIdentity(store, name, shard)?.parameters).data;
}

/** Plans that broke the lock before, as far as they are made of the faults asked for. */
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
