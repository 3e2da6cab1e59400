import { parentPort, workerData } from "node:worker_threads";
import { messageOf, UserError } from "../../core/errors.ts";
import { Explorer, type ExplorerWork, type ExploredSchedule, type Extensions } from "./explorer.ts";
import { readSchedulePath } from "./schedule-path.ts";

/** The data that every worker starts with. */
export interface ExploreWorkerData extends ExplorerWork {
  readonly store: string;
}

/** A schedule to open, to extend by one deviation with every length, or to keep. */
export type ExploreTask =
  | { readonly open: string; readonly calmNs?: number | undefined }
  | { readonly extend: string; readonly family: number }
  | { readonly keep: string };

export type ExploreAnswer =
  | { readonly extensions: Extensions }
  | { readonly schedules: readonly ExploredSchedule[] }
  | { readonly folder: string }
  /** The task failed: nothing is known about it. With a hint, the user can fix it. */
  | { readonly error: string; readonly hint?: string | undefined };

const { store, ...work } = workerData as ExploreWorkerData;
const explorer = new Explorer(work);
const port = parentPort;

port?.on("message", (task: ExploreTask) => {
  void answer(task).then((reply) => port.postMessage(reply));
});

async function answer(task: ExploreTask): Promise<ExploreAnswer> {
  try {
    if ("open" in task) return { extensions: await explorer.extensionsOf(readSchedulePath(task.open), task.calmNs) };
    if ("keep" in task) return { folder: await explorer.keep(readSchedulePath(task.keep), store) };
    return { schedules: await explorer.explore(readSchedulePath(task.extend), task.family) };
  } catch (error) {
    return { error: messageOf(error), hint: error instanceof UserError ? error.hint : undefined };
  }
}
