import type { InjectedFault } from "../harness/core/fault.ts";
import type { Evidence, ProcessHandle, ProcessState } from "../harness/core/system.ts";
import { SerialQueue } from "../harness/core/serial-queue.ts";
import { combine } from "./define-fault.ts";

/** An action on a process, and the states from which it is possible. */
export interface ProcessAction<P extends ProcessHandle> {
  readonly from: readonly ProcessState[];
  readonly act: (process: P) => Promise<Evidence>;
}

interface Attempt<P extends ProcessHandle> {
  readonly process: P;
  /** Absent if the process was left alone. */
  readonly evidence: Evidence | undefined;
  readonly state: ProcessState;
}

/** Faults that hit the same process take turns. */
const queues = new WeakMap<ProcessHandle, SerialQueue>();

/**
 * Does the same to each of some processes, and undoes it on healing, in the opposite order. Faults of one plan may hit
 * the same process, and a dead process cannot be paused. Such a process is left alone, and the fault is `skipped` if no
 * process remains. An effect that another fault has undone or overtaken by then (a paused node was killed) needs no
 * healing.
 */
export async function injectOnProcesses<P extends ProcessHandle>(
  processes: readonly P[],
  action: ProcessAction<P>,
  undo?: ProcessAction<P>,
): Promise<InjectedFault> {
  const attempts = await Promise.all(processes.map((process) => attempt(process, action)));
  const hit = attempts.filter(({ evidence }) => evidence !== undefined);
  const spared = attempts
    .filter(({ evidence }) => evidence === undefined)
    .map(({ process, state }) => `${process.name} is ${state} and was left alone`);
  const nameOf = ({ process }: Attempt<P>): string => process.name;
  if (hit.length === 0) {
    const evidence = spared.length === 0 ? "there was no target to hit" : spared.join("; ");
    return { targets: attempts.map(nameOf), outcome: "skipped", evidence };
  }
  const { outcome, evidence } = combine(seen(hit));
  return {
    targets: hit.map(nameOf),
    outcome,
    evidence: [evidence, ...spared].join("; "),
    heal: undo && (() => heal(hit.map(({ process }) => process).toReversed(), undo)),
  };
}

async function heal<P extends ProcessHandle>(processes: readonly P[], undo: ProcessAction<P>) {
  const attempts = await Promise.all(processes.map((process) => attempt(process, undo)));
  return combine(
    attempts.map(
      ({ process, evidence, state }) => evidence ?? { observed: true, detail: `${process.name} is ${state}` },
    ),
  );
}

function attempt<P extends ProcessHandle>(process: P, { from, act }: ProcessAction<P>): Promise<Attempt<P>> {
  const queue = queues.get(process) ?? new SerialQueue();
  queues.set(process, queue);
  return queue.run(async () => {
    const state = await process.state();
    return { process, state, evidence: from.includes(state) ? await act(process) : undefined };
  });
}

function seen(attempts: readonly { readonly evidence: Evidence | undefined }[]): readonly Evidence[] {
  return attempts.flatMap(({ evidence }) => (evidence === undefined ? [] : [evidence]));
}
