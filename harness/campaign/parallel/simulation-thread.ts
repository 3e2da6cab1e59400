/** The program of a thread that simulates plans: see `simulation-threads.ts`. */
// First: libraries store functions of the platform when they are loaded.
import { InterruptedRunError, runSimulated } from "../run-simulated.ts";
import { parentPort, workerData } from "node:worker_threads";
import { ownBuiltIns } from "../../client/built-ins.ts";
import { heartbeat } from "../../client/heartbeat.ts";
import type { Delays } from "../recurrence/delays.ts";
import type { Plan } from "../../core/plan.ts";
import type { Property } from "../../core/verdict.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";

/** The data that every thread starts with. */
export interface SimulationThreadData {
  readonly store: string;
}

/** A plan to simulate, or the end of everything. */
export type ToSimulationThread =
  | {
      readonly id: number;
      readonly plan: Plan;
      readonly title: string;
      readonly required: readonly Property[];
      readonly delays: Delays | undefined;
    }
  | { readonly interrupt: true };

export type FromSimulationThread =
  | { readonly isReady: true }
  | { readonly id: number; readonly record: Omit<RunRecord, "plan">; readonly traceHash: string }
  /** The run was interrupted; its history so far is in this file. */
  | { readonly id: number; readonly kept: string }
  /** It failed; simulating it again shows the reason. */
  | { readonly id: number; readonly failed: true };

const { store } = workerData as SimulationThreadData;
ownBuiltIns();
heartbeat.keepIn(store);
const port = parentPort;
const interruption = new AbortController();
/** Two simulations never share a thread at a time. */
let before: Promise<unknown> = Promise.resolve();

port?.on("message", (message: ToSimulationThread) => {
  if ("interrupt" in message) interruption.abort();
  else before = before.then(async () => port.postMessage(await answer(message)));
});
port?.postMessage({ isReady: true } satisfies FromSimulationThread);

async function answer(task: Exclude<ToSimulationThread, { readonly interrupt: true }>): Promise<FromSimulationThread> {
  const { id, plan, title, required, delays } = task;
  const { signal } = interruption;
  try {
    signal.throwIfAborted();
    const { record, traceHash } = await runSimulated(plan, { title, required, delays, signal });
    const { plan: _, ...rest } = record;
    return { id, record: rest, traceHash };
  } catch (error) {
    return error instanceof InterruptedRunError ? { id, kept: error.keep(store) } : { id, failed: true };
  }
}
