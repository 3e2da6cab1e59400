import { randomInt } from "node:crypto";
import { contentionPlans } from "../../../workloads/contention.ts";
import { isModulePath, loadDriver } from "../../client/load-driver.ts";
import type { ContainerPool } from "../../containers/container-pool.ts";
import { EXIT, type Verdict } from "../../core/verdict.ts";
import { runCampaign, type CampaignResult, type Judged } from "../../run/campaign.ts";
import { Regressions } from "../../run/regressions.ts";
import { type Backend, backendFlag, BACKENDS, type ExecutedRun, executorOf, keepRun } from "../backend.ts";
import { campaignFlags, readFaults, readTopology } from "../campaign-command.ts";
import { requiredProperties } from "../claims.ts";
import { readRunFlags, runFlags } from "../common-flags.ts";
import { type Command, refuseOperands } from "../command.ts";
import { huntLadder } from "../ladder/hunt-ladder.ts";
import { printRun } from "../output.ts";
import { Progress } from "../progress.ts";

type HuntRun = Judged & ExecutedRun;

/** A simulated run takes a millisecond or a few, one on containers seconds. */
const DEFAULT_RUNS: Readonly<Record<Backend, { readonly runs: number; readonly shrinkRuns: number }>> = {
  simulated: { runs: 1000, shrinkRuns: 500 },
  containers: { runs: 20, shrinkRuns: 20 },
};

/** `lockstorm hunt`: generated plans, until one breaks what the lock claims; then the shortest that does. */
export const hunt: Command = {
  name: "hunt",
  summary: "search for a schedule that breaks a lock, and shrink it",
  operands: "",
  flags: {
    lock: {
      value: "lock",
      help: "the lock: a name, or the path of a driver (default: single); with --ladder or --all: only these, names with commas",
    },
    ladder: { help: "the locks of the ladder by all faults, in simulation, as a table: claimed against found" },
    all: { help: "the same table for every lock: flawed specimens and libraries too" },
    ...campaignFlags,
    backend: { ...backendFlag, default: "simulated" },
    runs: { value: "number", help: "how many plans to try (default: 1000, on containers 20)" },
    budget: { value: "seconds", help: "begin no run after this long" },
    "shrink-runs": { value: "number", help: "how many runs shrinking may take (default: 500, on containers 20)" },
    seed: { value: "number", help: "seed of the campaign (default: random, and printed)" },
    path: { value: "path", help: "go straight to a counterexample that a campaign of this seed printed" },
    ...runFlags,
  },
  examples: [
    "lockstorm hunt --lock ./my-lock.ts --topology sentinel",
    "lockstorm hunt --lock redlock --faults clock-jump,partition --budget 300",
    "lockstorm hunt --lock single --faults pause-client --require mutual-exclusion",
    "lockstorm hunt --all",
    "lockstorm hunt --ladder --lock single,redlock --runs 1000",
  ],
  run: async ({ operands, flags, signal }) => {
    refuseOperands("hunt", operands, "name the lock with --lock");
    const { required, json, ...options } = readRunFlags(flags);
    if (flags.on("all") || flags.on("ladder")) return huntLadder({ flags, store: options.store, json, signal });
    const backend = flags.choice("backend", BACKENDS) ?? "simulated";
    const execute = await executorOf(backend);
    const lock = flags.text("lock") ?? "single";
    await loadDriver(lock);
    const topology = readTopology(flags, lock);
    const kinds = readFaults(flags, backend);
    const seed = flags.integer("seed", 0) ?? randomInt(0x7fff_ffff);
    const runs = flags.integer("runs", 1) ?? DEFAULT_RUNS[backend].runs;
    const path = flags.text("path");
    const budgetSeconds = flags.integer("budget", 1);
    const regressions = new Regressions(options.store);
    const title = `hunt for ${lock}`;
    using progress = new Progress();
    await using pool = await poolFor(backend);
    progress.note(`hunting: lock ${lock}, topology ${topology.kind}, ${backend}, seed ${seed}, up to ${runs} runs`);
    const result = await runCampaign<HuntRun>({
      plans: contentionPlans({ lock, topology, faults: kinds }),
      regressions: regressions
        .of(lock, topology.kind)
        .filter((plan) => plan.faults.every((step) => kinds.some(({ kind }) => kind === step.kind))),
      seed,
      runs,
      ...(path === undefined ? {} : { path }),
      ...(budgetSeconds === undefined ? {} : { budgetMs: budgetSeconds * 1000 }),
      shrinkRuns: flags.integer("shrink-runs", 0) ?? DEFAULT_RUNS[backend].shrinkRuns,
      signal,
      execute: async (plan) => {
        const run = await execute(plan, {
          ...options,
          title,
          required: required ?? requiredProperties(plan),
          signal,
          progress,
          ...(pool === undefined ? {} : { pool }),
        });
        return { ...run, plan, verdict: run.record.verdict };
      },
      onRun: ({ verdict }, { done, shrinking }) => {
        if (backend === "containers")
          progress.note(`${shrinking ? "a smaller plan" : `run ${done} of ${runs}`}: ${outcome(verdict)}`);
        else if (shrinking || done % 25 === 0)
          progress.step(shrinking ? `${title}: shrinking` : `${title}: run ${done} of ${runs}`);
      },
    });
    progress[Symbol.dispose]();
    const found = result.counterexample?.run;
    if (found !== undefined) {
      regressions.keep(found.plan);
      printRun(keepRun(found), json);
    }
    if (!json) process.stdout.write(`${summary(result, lock)}\n`);
    if (found !== undefined) return EXIT.invalid;
    return result.valid > 0 ? EXIT.valid : EXIT.unknown;
  },
};

/** A verdict in a few words; of one that decides nothing, why. */
function outcome({ verdict, reasons, required, properties }: Verdict): string {
  if (verdict !== "unknown") return verdict;
  const [undecided] = required.filter((property) => properties[property]?.verdict === "unknown");
  const reason = reasons[0] ?? (undecided === undefined ? undefined : properties[undecided]?.reason);
  return reason === undefined ? verdict : `${verdict}: ${reason}`;
}

/** Servers kept between runs; a simulation needs none. */
async function poolFor(backend: Backend): Promise<ContainerPool | undefined> {
  if (backend === "simulated") return undefined;
  const containers = await import("../../containers/container-pool.ts");
  return new containers.ContainerPool();
}

function summary(
  { seed, runs, valid, unknown, counterexample, cutShort }: CampaignResult<HuntRun>,
  lock: string,
): string {
  const counts = `${runs} run(s): ${valid} valid, ${unknown} unknown${cutShort ? " (ended early)" : ""}`;
  if (counterexample === undefined) {
    const what = isModulePath(lock) ? "no property was violated" : "nothing that the lock claims was violated";
    return valid > 0 ? `${counts}; ${what}. Seed ${seed}.` : `${counts}; nothing was decided. Seed ${seed}.`;
  }
  const again = counterexample.path === undefined ? "" : ` --path ${counterexample.path}`;
  return `${counts}; the counterexample was shrunk in ${counterexample.shrinks} run(s). Again: the same with --seed ${seed}${again}`;
}
