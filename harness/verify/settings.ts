import { faults } from "../../faults/registry.ts";
import { claimedProperties, DISK_LOSS } from "../../lock-impl/claims.ts";
import { soundLease, soundLeaseBehindSentinel } from "../../lock-impl/claim-tables.ts";
import { UserError } from "../core/errors.ts";
import { simulatedTopology, topologySchema, type TopologySpec } from "../core/topology.ts";
import type { Property } from "../core/verdict.ts";
import { STORE } from "../run/store.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** A verification as data: what goes to the process that does it. */
export interface VerifySettings {
  /** What plans call the lock: a registered name, a module's path, or the label of a factory. */
  readonly lock: string;
  readonly title: string;
  readonly topology: TopologySpec;
  readonly faults: readonly string[];
  readonly required: readonly Property[];
  readonly runs: number;
  readonly shrinkRuns: number;
  readonly budgetMs: number;
  readonly seed: number;
  readonly path?: string;
  readonly store: string;
  /** The command that leads back to a counterexample, where it is not `lockstorm replay`. */
  readonly replayCommand?: string;
}

/**
 * Not mutual exclusion and lost updates, which no lock promises to a client that is stopped for longer than its lease; nor
 * linearizability: what breaks it breaks one of these too, which is easier to see.
 */
const REQUIRED: readonly Property[] = [
  "lease-exclusion",
  "fencing-tokens",
  "stale-writes",
  "owner-release",
  "deadlock-freedom",
];

const DEFAULTS = { runs: 500, shrinkRuns: 500, budgetMs: 60_000, seed: 1 };

/** After this long no run begins, in milliseconds, for whoever has to wait for it. */
export function budgetOf({ budgetMs }: VerifyOptions, environment: NodeJS.ProcessEnv): number {
  const seconds = numberFrom(environment, "LOCKSTORM_BUDGET", 1);
  return seconds === undefined ? (budgetMs ?? DEFAULTS.budgetMs) : seconds * 1000;
}

/**
 * What was asked for, with what was left out. The environment goes before the options, so that a test can be run again, or
 * for longer, without changing it: `LOCKSTORM_SEED`, `LOCKSTORM_PATH`, `LOCKSTORM_RUNS`, `LOCKSTORM_BUDGET` (seconds).
 * @param lock what plans are to call the lock
 * @throws UserError for a value that cannot be
 */
export function settingsFrom(options: VerifyOptions, lock: string, environment: NodeJS.ProcessEnv): VerifySettings {
  const topology = topologySchema.parse({
    kind: simulatedTopology(options.topology ?? "single"),
    persistence: options.persistence ?? "none",
  });
  const path = environment["LOCKSTORM_PATH"] || options.path;
  return {
    lock,
    title: options.title ?? lock,
    topology,
    faults: options.faults?.map(known) ?? survivable(topology),
    required: options.require ?? REQUIRED,
    runs: numberFrom(environment, "LOCKSTORM_RUNS", 1) ?? options.runs ?? DEFAULTS.runs,
    shrinkRuns: options.shrinkRuns ?? DEFAULTS.shrinkRuns,
    budgetMs: budgetOf(options, environment),
    seed: numberFrom(environment, "LOCKSTORM_SEED", 0) ?? options.seed ?? DEFAULTS.seed,
    ...(path === undefined ? {} : { path }),
    store: options.store ?? STORE,
    ...(options.replayCommand === undefined ? {} : { replayCommand: options.replayCommand }),
  };
}

/**
 * The kinds of faults, one or several of which a sound lock survives on this topology: what clients and links do to it
 * anywhere, and more with persistence. Others (a failover, a clock that jumps) break any lock of this kind.
 */
function survivable(topology: TopologySpec): readonly string[] {
  const { persistence } = topology;
  const kind = simulatedTopology(topology.kind);
  const claims = kind === "sentinel" ? soundLeaseBehindSentinel() : soundLease(kind);
  return faults
    .map((fault) => fault.kind)
    .filter((fault) => {
      const kinds = fault === "restart-node" ? [fault, DISK_LOSS] : [fault];
      const circumstances = { topology: kind, persistence, faults: kinds };
      return claimedProperties(claims, circumstances).includes("lease-exclusion");
    });
}

function known(kind: string): string {
  if (faults.some((fault) => fault.kind === kind)) return kind;
  throw new UserError(`there is no fault "${kind}"`, `choose from ${faults.map((fault) => fault.kind).join(", ")}`);
}

function numberFrom(environment: NodeJS.ProcessEnv, name: string, min: number): number | undefined {
  const text = environment[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new UserError(`${name} "${text}" is not a whole number of at least ${min}`, "correct or unset it");
}
