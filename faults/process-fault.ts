import type { InjectedFault } from "../harness/core/fault.ts";
import type { Evidence, ProcessHandle, ProcessState } from "../harness/core/system.ts";
import { combine } from "./define-fault.ts";

/** Something done to a process, and the states in which it can be. */
export interface ProcessAction<P extends ProcessHandle> {
  readonly from: readonly ProcessState[];
  readonly act: (process: P) => Promise<Evidence>;
}

interface Attempt<P extends ProcessHandle> {
  readonly process: P;
  /** Absent when it was left alone. */
  readonly evidence: Evidence | undefined;
  readonly state: ProcessState;
}

/** The work under way on each process: faults that meet on one take their turns. */
const turns = new WeakMap<ProcessHandle, Promise<unknown>>();

/**
 * Does the same to each of some processes, and undoes it, in the opposite order, on healing. Faults of one plan may meet
 * on a process: one that is dead cannot be paused. Such a process is left alone, and the fault is `skipped` when no
 * other is left. What another fault has undone or overtaken by then (a paused node was killed) needs no healing.
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
    const evidence = spared.length === 0 ? "there was nothing to hit" : spared.join("; ");
    return { targets: attempts.map(nameOf), outcome: "skipped", evidence };
  }
  const { outcome, evidence } = combine(seen(hit));
  return {
    targets: hit.map(nameOf),
    outcome,
    evidence: [evidence, ...spared].join("; "),
    ...(undo === undefined ? {} : { heal: () => heal(hit.map(({ process }) => process).toReversed(), undo) }),
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
  const turn = (turns.get(process) ?? Promise.resolve()).then(async () => {
    const state = await process.state();
    return { process, state, evidence: from.includes(state) ? await act(process) : undefined };
  });
  // The next in turn does not fail with this one.
  turns.set(
    process,
    turn.catch(() => {}),
  );
  return turn;
}

function seen(attempts: readonly { readonly evidence: Evidence | undefined }[]): readonly Evidence[] {
  return attempts.flatMap(({ evidence }) => (evidence === undefined ? [] : [evidence]));
}
