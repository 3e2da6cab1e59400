import { existsSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { catalogue } from "../../workloads/catalogue.ts";
import { PLAN_FORMAT, PLAN_VERSION } from "../../harness/core/plan.ts";
import { EXIT } from "../../harness/core/verdict.ts";
import { run } from "../steps.ts";
import type { Side, UpstreamReport } from "./reports.ts";

/** How a version did. */
export type Outcome = "invalid" | "valid" | "unknown";

const OUTCOMES: Readonly<Record<number, Outcome>> = {
  [EXIT.valid]: "valid",
  [EXIT.invalid]: "invalid",
  [EXIT.unknown]: "unknown",
};

interface Trial {
  /** The project's root. */
  readonly root: string;
  /** A folder for what the run leaves. */
  readonly area: string;
  /** Default: simulated for what runs in Node, live for the others. */
  readonly backend?: "live" | "containers";
}

/** Runs the plan of a report with one of its versions. */
export async function trySide(
  { plan, property }: Pick<UpstreamReport, "plan" | "property">,
  { lock }: Pick<Side, "lock">,
  { root, area, backend }: Trial,
): Promise<Outcome> {
  const where = backend ?? backendFor(lock);
  const words = ["replay", planFile(plan, root, area), "--lock", lockOf(lock, root), "--backend", where];
  const asked = [...words, "--require", property, "--store", area];
  const { code, stderr } = await run(process.execPath, [join(root, "harness/cli/launch.js"), ...asked], { cwd: root });
  const outcome = code === null ? undefined : OUTCOMES[code];
  if (outcome === undefined) throw new Error(`replay ended with ${code}: ${stderr}`);
  return outcome;
}

/** Workers are programs of their own, which virtual time cannot lead. */
function backendFor(lock: string): "live" | "simulated" {
  return lock.endsWith(".json") || libraryWorkers.some(({ name }) => name === lock) ? "live" : "simulated";
}

/** Files are found from the folder in which one is. */
function lockOf(lock: string, root: string): string {
  return /\.(?:json|ts)$/u.test(lock) && !isAbsolute(lock) ? join(root, lock) : lock;
}

/** The plan as a file: that of a scenario of the catalogue is written. */
function planFile(plan: string, root: string, area: string): string {
  if (existsSync(join(root, plan))) return join(root, plan);
  const scenario = catalogue.find(({ slug }) => slug === plan);
  if (scenario === undefined) throw new Error(`there is neither a plan nor a scenario ${plan}`);
  const path = join(area, `${plan}.json`);
  writeFileSync(path, JSON.stringify({ format: PLAN_FORMAT, version: PLAN_VERSION, seed: 1, ...scenario.plan }));
  return path;
}
