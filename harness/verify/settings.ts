import { classesOf } from "../../faults/fault-classes.ts";
import { faults } from "../../faults/registry.ts";
import { claimedProperties } from "../../lock-impl/claims.ts";
import { promisable } from "../../lock-impl/claim-tables.ts";
import { mustBeFault, refuseImpossibleFault } from "../campaign/possible-faults.ts";
import type { VerificationOptions } from "../campaign/verification.ts";
import { UserError } from "../core/errors.ts";
import { DEFAULT_TOPOLOGY, isSimulated, TOPOLOGIES, topologySchema, type TopologySpec } from "../core/topology.ts";
import { hintFor } from "../core/words/did-you-mean.ts";
import { STORE } from "../run/store.ts";
import { refuseWrong } from "./option-rules.ts";
import type { VerifyOptions } from "./verify-options.ts";

const DEFAULTS = { runs: 500, shrinkRuns: 500, budgetMs: 60_000, seed: 1 };

/** No run begins after this many milliseconds, for a caller that has to wait. */
export function budgetOf({ budgetMs }: VerifyOptions, environment: NodeJS.ProcessEnv): number {
  const seconds = numberFrom(environment, "LOCKSTORM_BUDGET", 1);
  return seconds === undefined ? (budgetMs ?? DEFAULTS.budgetMs) : seconds * 1000;
}

/**
 * The options with their defaults. The environment overrides the options, so that a test can be run again, or for
 * longer, without changing it: `LOCKSTORM_SEED`, `LOCKSTORM_PATH`, `LOCKSTORM_RUNS`, `LOCKSTORM_BUDGET` (seconds).
 * @param lock the lock's name in plans
 * @throws UserError for an invalid value
 */
export function settingsFrom(
  options: VerifyOptions,
  lock: string,
  environment: NodeJS.ProcessEnv,
): VerificationOptions {
  requireNode(process.versions.node);
  const path = environment["LOCKSTORM_PATH"] || options.path;
  refuseWrong({ ...options, path });
  const kind = options.topology ?? DEFAULT_TOPOLOGY;
  if (!(TOPOLOGIES as readonly string[]).includes(kind)) {
    throw new UserError(`there is no topology "${kind}"`, hintFor(kind, TOPOLOGIES));
  }
  if (!isSimulated(kind)) {
    throw new UserError(
      `the simulation has no servers for the topology ${kind}`,
      "use lockstorm hunt --backend containers",
    );
  }
  const topology = topologySchema.parse({
    kind,
    persistence: options.persistence ?? "none",
  });
  return {
    lock,
    title: options.title ?? lock,
    topology,
    faults: options.faults?.map((kind) => possible(kind, topology)) ?? survivable(topology),
    required: options.require,
    runs: numberFrom(environment, "LOCKSTORM_RUNS", 1) ?? options.runs ?? DEFAULTS.runs,
    shrinkRuns: options.shrinkRuns ?? DEFAULTS.shrinkRuns,
    budgetMs: budgetOf(options, environment),
    seed: numberFrom(environment, "LOCKSTORM_SEED", 0) ?? options.seed ?? DEFAULTS.seed,
    path,
    store: options.store ?? STORE,
    replayCommand: options.replayCommand,
  };
}

/** The oldest Node, major and minor, that the package runs under: `engines` of package.json, which npm only warns of. */
const OLDEST_NODE = [22, 22] as const;

/** @throws UserError for a Node that lacks what the simulation uses: a test runner may run under any */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldest, least] = OLDEST_NODE;
  if (major > oldest || (major === oldest && minor >= least)) return;
  throw new UserError(`Node ${version} is too old`, `use Node ${OLDEST_NODE.join(".")} or newer (24 is recommended)`);
}

/**
 * The kinds of faults that a sound lock survives on this topology, alone or together: what can happen to clients and
 * links on every topology, and more with persistence. Others (a failover, a clock jump) break any lock of this kind.
 */
function survivable(topology: TopologySpec): readonly string[] {
  const { kind, persistence } = topology;
  const claims = promisable(kind);
  return faults
    .map((fault) => fault.kind)
    .filter((fault) => {
      const circumstances = { topology: kind, persistence, faults: classesOf(fault) };
      return claimedProperties(claims, circumstances).includes("lease-exclusion");
    });
}

function possible(kind: string, topology: TopologySpec): string {
  mustBeFault(kind);
  refuseImpossibleFault(kind, topology);
  return kind;
}

function numberFrom(environment: NodeJS.ProcessEnv, name: string, min: number): number | undefined {
  const text = environment[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new UserError(`${name} "${text}" is not a whole number of at least ${min}`, "correct or unset it");
}
