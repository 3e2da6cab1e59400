import type { LockDriver } from "../../core/lock-driver.ts";
import { PLAN_FORMAT, PLAN_VERSION, type Plan, planSchema } from "../../core/plan.ts";
import type { TopologySpec } from "../../core/topology.ts";
import { simulate } from "../../simulated/system/simulate.ts";
import { simulatedDriver } from "../simulated-driver.ts";
import type { RunEnvironment } from "../run-environment.ts";
import { checkFor, WITHOUT_LEASES } from "./check-without-leases.ts";
import { CHECKLIST } from "./checklist.ts";
import type { Conformity, ConformityCheck } from "./conformity.ts";
import { Trial } from "./trial.ts";
import { undeclared } from "./undeclared.ts";

/** More than any check takes, in virtual time. */
const LIMIT_MS = 600_000;
const CLIENTS = 3;
/** All checks together take less, unless the lock loads much. */
const SLOW_MS = 1_000;

export interface ConformOptions {
  /** The lock: a name, or the path of a driver. */
  readonly lock: string;
  readonly topology: TopologySpec;
  readonly seed: number;
  /** The driver, if it is not the one that `lock` names. */
  readonly driver?: LockDriver | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of a checklist. */
export interface ConformResult {
  readonly lock: string;
  readonly topology: TopologySpec["kind"];
  readonly seed: number;
  readonly checks: readonly Conformity[];
}

/**
 * Tries a driver against the checklist of what lockstorm expects from drivers, in simulation: what it answers to
 * contention, expiry, lost replies and so on, compared with what its servers hold. A driver with a mistake would make a
 * right lock look wrong, or a wrong one right.
 * @param slowAfterMs from then on each check is told to `progress`
 * @throws UserError when the driver cannot be loaded or never connects; the signal's reason when aborted
 */
export async function conformDriver(
  options: ConformOptions,
  { progress, slowAfterMs = SLOW_MS }: Pick<RunEnvironment, "progress"> & { readonly slowAfterMs?: number } = {},
): Promise<ConformResult> {
  const { lock, topology, seed, signal } = options;
  const driver = options.driver ?? (await simulatedDriver(lock));
  const checks: Conformity[] = [];
  const begunMs = performance.now();
  for (const check of CHECKLIST) {
    signal?.throwIfAborted();
    if (performance.now() - begunMs > slowAfterMs) progress?.step(`trying: ${check.name}`);
    checks.push(await tried(check, driver, options));
  }
  return { lock, topology: topology.kind, seed, checks };
}

async function tried(check: ConformityCheck, driver: LockDriver, options: ConformOptions): Promise<Conformity> {
  const { name, needs } = check;
  const chosen = checkFor(check, driver);
  if (chosen === undefined) return { name, asks: check.asks, outcome: "skipped", details: [WITHOUT_LEASES] };
  const { asks, run } = chosen;
  if (needs !== undefined && driver.supports?.[needs] !== true)
    return { name, asks, outcome: "skipped", details: [undeclared(needs, "driver")] };
  const plan = planOfCheck(options);
  const { value } = await simulate({ plan, driver, signal: options.signal }, (system) => Trial.of(system, run));
  return { name, asks, ...value };
}

/** A plan whose clients follow the instructions of a check. */
export function planOfCheck({ lock, topology, seed }: Pick<ConformOptions, "lock" | "topology" | "seed">): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed,
    lock,
    topology,
    clients: Array.from({ length: CLIENTS }, () => ({ sections: [] })),
    faults: [],
    limitMs: LIMIT_MS,
  });
}
