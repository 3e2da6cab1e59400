import { replayFromHere } from "../../core/words/replay-from-here.ts";
import { shellWord } from "../../core/words/shell-word.ts";
import { rmSync } from "node:fs";
import { faults } from "../../../faults/registry.ts";
import { checkHistory } from "../../check/check.ts";
import { hasLeases } from "../../client/load-driver.ts";
import { HarnessError, messageOf, UnusableClientError, UserError } from "../../core/errors.ts";
import { firstError } from "../../core/first-error.ts";
import type { Plan } from "../../core/plan.ts";
import type { SystemUnderTest } from "../../core/system.ts";
import { runPlan } from "../../run/run-plan.ts";
import { observedRecord } from "../../run/observed-record.ts";
import { RunFolder } from "../../run/store.ts";
import { writeWire } from "../../run/wire-files.ts";
import type { ExecuteOptions } from "../execute.ts";
import type { History } from "../../history/history.ts";
import type { ObservedWire } from "../../core/messages/observed-wire.ts";
import { readHistory } from "../../run/read-history.ts";
import type { KeptRun } from "../kept-run.ts";
import { FailedRunError, NotBegunError } from "./failed-run.ts";
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
  /** Why no other run can begin there either, in words; undefined if one can, as far as anybody knows. */
  gone?(): Promise<string | undefined>;
}

/**
 * Runs a plan with real processes, records and judges it. The run's folder gets the plan before anything starts and the
 * history while the run goes on; the verdict comes last.
 * @throws UserError before anything is started, when the plan cannot run there; UnusableClientError
 * @throws FailedRunError when the system failed after the run had begun, with what it recorded; NotBegunError when it
 *   could not be started; another HarnessError when the place is gone. The error says where the history so far is.
 */
export async function runInRealTime(plan: Plan, options: ExecuteOptions, place: RealTimePlace): Promise<KeptRun> {
  const { required, title, unwanted } = options;
  const { store, progress, ...environment } = completeEnvironment(options);
  const signal = unwanted === undefined ? environment.signal : AbortSignal.any([environment.signal, unwanted]);
  using folder = RunFolder.create(store, plan, new Date());
  const runOf = (history: History, observed?: ObservedWire): KeptRun => {
    const verdict = checkHistory(history, { required });
    folder.writeVerdict(verdict);
    const replayCommand = `${replayFromHere(folder.planFile)}${place.replayFlags}`;
    const wire = observed === undefined ? undefined : observedRecord(observed, history, verdict);
    writeWire(folder, { wire });
    return { record: { plan, history, verdict, title, replayCommand, wire }, folder: folder.path };
  };
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
      leases: hasLeases(plan.lock) ? undefined : false,
      facts: {
        ...place.facts,
        persistence: plan.topology.persistence,
        startedAt: new Date().toISOString(),
        title,
      },
    });
    progress.step(`${title}: judging, cleaning up`);
    return runOf(history, options.wire === true ? system.messages?.observed : undefined);
  } catch (thrown) {
    const error = firstError(thrown);
    if (unwanted?.aborted === true) rmSync(folder.path, { recursive: true });
    if (signal.aborted || (!started && error instanceof UserError)) throw error;
    // No other run could go on either.
    if (error instanceof UnusableClientError) throw error;
    const gone = await place.gone?.();
    const what = gone === undefined ? inWords(error) : `${gone}: ${inWords(error)}`;
    if (!started) throw new (gone === undefined ? NotBegunError : HarnessError)(what, { cause: thrown });
    const message = `${what}; the history so far is kept: npx lockstorm check ${shellWord(folder.historyFile)}`;
    const mayGoOn = gone === undefined && (error instanceof HarnessError || error instanceof UserError);
    if (!mayGoOn) throw new HarnessError(message, { cause: thrown });
    throw new FailedRunError(message, runOf(await readHistory(folder.historyFile)), { cause: thrown });
  }
}

/** The error that broke a run, on one line. */
function inWords(error: unknown): string {
  return error instanceof UserError ? `${error.message}; ${error.hint}` : messageOf(error);
}
