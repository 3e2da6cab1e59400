import { parentPort, workerData } from "node:worker_threads";
import { messageOf, UserError } from "../../core/errors.ts";
import { Explorer, type ExplorerWork, type ExploredSchedule, type Extensions, type FamilyRuns } from "./explorer.ts";
import { readSchedulePath } from "./schedule-path.ts";
import { StopFlag } from "./stop-flag.ts";

/** The data that every worker starts with. */
export interface ExploreWorkerData extends ExplorerWork {
  readonly store: string;
  /** The memory of the flag that says that the budget is used up. */
  readonly overtime: SharedArrayBuffer;
}

/** A schedule to open, to extend by one deviation with every length, or to keep. */
export type ExploreTask =
  | { readonly open: string; readonly calmNs?: number | undefined }
  | { readonly extend: string; readonly family: number; readonly known?: readonly ExploredSchedule[] | undefined }
  | { readonly keep: string };

export type ExploreAnswer =
  | { readonly extensions: Extensions }
  | FamilyRuns
  | { readonly folder: string }
  /** The task failed: nothing is known about it. With a hint, the user can fix it. */
  | { readonly error: string; readonly hint?: string | undefined };

const { store, overtime, ...work } = workerData as ExploreWorkerData;
const explorer = new Explorer(work);
const budget = new StopFlag(overtime);
const port = parentPort;

port?.on("message", (task: ExploreTask) => {
  void answer(task).then((reply) => port.postMessage(reply));
});

async function answer(task: ExploreTask): Promise<ExploreAnswer> {
  try {
    if ("open" in task) return { extensions: await explorer.extensionsOf(readSchedulePath(task.open), task.calmNs) };
    if ("keep" in task) return { folder: await explorer.keep(readSchedulePath(task.keep), store) };
    const { extend, family, known } = task;
    return await explorer.explore(readSchedulePath(extend), family, { known, mayRun: () => !budget.isRaised });
  } catch (error) {
    return { error: messageOf(error), hint: error instanceof UserError ? error.hint : undefined };
  }
}
