// First: libraries store functions of the platform when they are loaded.
import { shellWord } from "../core/words/shell-word.ts";
import {
  InterruptedRunError,
  keepSimulated,
  proveSimulated,
  runSimulated,
  type SimulatedRun,
} from "./run-simulated.ts";
import type { Execute, ExecutedRun } from "./execute.ts";
import { type CompleteEnvironment, completeEnvironment } from "./run-environment.ts";

const SILENCE_MS = 50;
let spokenAt = performance.now();

/** Runs a plan in simulation, in this thread. */
export const executeSimulated: Execute = async (plan, { title, required, delays, ...environment }) => {
  const { store, signal, progress } = completeEnvironment(environment);
  await letOthersSpeak();
  signal.throwIfAborted();
  const run = await runSimulated(plan, { title, required, delays, signal }).catch((error: unknown) => {
    if (error instanceof InterruptedRunError) noteKept(error.keep(store), { progress, signal });
    throw error;
  });
  return executedSimulation(run, { store, signal });
};

/** A simulated run as campaigns take it. */
export function executedSimulation(
  run: SimulatedRun,
  environment: Pick<CompleteEnvironment, "store" | "signal">,
): ExecutedRun {
  const { store, signal } = environment;
  return {
    ...run,
    keep: () => keepSimulated(run, store),
    prove: async () => executedSimulation(await provenUnlessInterrupted(run, signal), environment),
  };
}

/** The run with its causes proven; as it is when the signal comes first, so that what was found is kept. */
async function provenUnlessInterrupted(run: SimulatedRun, signal: AbortSignal): Promise<SimulatedRun> {
  try {
    return await proveSimulated(run, { signal });
  } catch (error) {
    if (signal.aborted) return run;
    throw error;
  }
}

/** The interruptions of which a kept history was named. */
const told = new WeakSet<AbortSignal>();

/** Names the history of a run that was interrupted: of those that one interruption ends on several threads, the first. */
export function noteKept(
  historyFile: string,
  { progress, signal }: Pick<CompleteEnvironment, "progress" | "signal">,
): void {
  if (told.has(signal)) return;
  told.add(signal);
  progress.note(`the history so far is kept: npx lockstorm check ${shellWord(historyFile)}`);
}

/**
 * A simulation occupies the thread, and thousands follow one another: between them, this lets an interruption be
 * noticed.
 */
async function letOthersSpeak(): Promise<void> {
  if (performance.now() - spokenAt < SILENCE_MS) return;
  await new Promise((resolve) => setImmediate(resolve));
  spokenAt = performance.now();
}
