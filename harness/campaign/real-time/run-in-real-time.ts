import { replayCommandOf, shellWord } from "../../core/words/shell-word.ts";
import { rmSync } from "node:fs";
import { faults } from "../../../faults/registry.ts";
import { checkHistory } from "../../check/check.ts";
import { HarnessError, UserError } from "../../core/errors.ts";
import { firstError } from "../../core/first-error.ts";
import type { Plan } from "../../core/plan.ts";
import type { SystemUnderTest } from "../../core/system.ts";
import { runPlan } from "../../run/run-plan.ts";
import { observedRecord } from "../../run/observed-record.ts";
import { RunFolder } from "../../run/store.ts";
import { writeWire } from "../../run/wire-files.ts";
import type { ExecuteOptions } from "../execute.ts";
import type { KeptRun } from "../kept-run.ts";
import { completeEnvironment } from "../run-environment.ts";

/** The place where real processes run a plan. */
export interface RealTimePlace {
  /** For the first line of the history: the backend, and what else is known of it. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** What is being done while it starts. */
  readonly starting: string;
  /** Starts the plan's topology and its clients, which write their logs to a folder. */
  start(logFolder: string): Promise<SystemUnderTest>;
  /** The flags that a replay there needs, with a space before. */
  readonly replayFlags: string;
  /** An error in words that is no error of ours. */
  inWords(error: unknown): Promise<string> | string;
}

/**
 * Runs a plan with real processes, records and judges it. The run's folder gets the plan before anything starts and the
 * history while the run goes on; the verdict comes last.
 * @throws UserError before anything is started, when the plan cannot run there
 * @throws HarnessError when the system failed; the error says where the history so far is
 */
export async function runInRealTime(plan: Plan, options: ExecuteOptions, place: RealTimePlace): Promise<KeptRun> {
  const { required, title, unwanted } = options;
  const { store, progress, ...environment } = completeEnvironment(options);
  const signal = unwanted === undefined ? environment.signal : AbortSignal.any([environment.signal, unwanted]);
  using folder = RunFolder.create(store, plan, new Date());
  let started = false;
  try {
    signal.throwIfAborted();
    progress.step(`${title}: ${place.starting}`);
    await using system = await place.start(folder.logFolder);
    started = true;
    signal.throwIfAborted();
    progress.step(`${title}: running`);
    const { history } = await runPlan({
      plan,
      system,
      faults,
      sink: folder.sink,
      signal,
      facts: {
        ...place.facts,
        persistence: plan.topology.persistence,
        startedAt: new Date().toISOString(),
        title,
      },
    });
    progress.step(`${title}: judging, cleaning up`);
    const verdict = checkHistory(history, { required });
    folder.writeVerdict(verdict);
    const replayCommand = `${replayCommandOf(folder.planFile)}${place.replayFlags}`;
    const observed = options.wire === true ? system.messages?.observed : undefined;
    const wire = observed === undefined ? undefined : observedRecord(observed, history, verdict);
    writeWire(folder, { wire });
    return { record: { plan, history, verdict, title, replayCommand, wire }, folder: folder.path };
  } catch (thrown) {
    const error = firstError(thrown);
    if (unwanted?.aborted === true) rmSync(folder.path, { recursive: true });
    if (signal.aborted || (!started && error instanceof UserError)) throw error;
    const kept = started ? `; the history so far is kept: npx lockstorm check ${shellWord(folder.historyFile)}` : "";
    throw new HarnessError(`${await inWords(error, place)}${kept}`, { cause: thrown });
  }
}

/** The error that broke a run. */
async function inWords(error: unknown, place: RealTimePlace): Promise<string> {
  if (error instanceof UserError) return `${error.message}; ${error.hint}`;
  if (error instanceof HarnessError) return error.message;
  return place.inWords(error);
}
