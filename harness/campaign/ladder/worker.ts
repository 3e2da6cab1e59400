import { parentPort, workerData } from "node:worker_threads";
import { messageOf, UserError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { type Cell, type LadderScope, ladderCells } from "./cells.ts";
import { robustPlan } from "./robust-plan.ts";
import type { Interim } from "../worker-pool.ts";
import type { CellProgress } from "./cell-notes.ts";
import { type CellOutcome, searchCell, type CellSearchOptions, shrinkCell } from "./search-cell.ts";

/** The data that every worker starts with. */
export interface LadderWork extends CellSearchOptions {
  readonly scope: LadderScope;
}

/**
 * A cell to search, from where an interrupted search was; or to shrink, given the path of what was found there; or to
 * find a plan for real servers.
 */
export interface Task {
  readonly cell: number;
  readonly before?: CellProgress | undefined;
  readonly path?: string;
  readonly forRealServers?: true;
}

export type LadderAnswer =
  | { readonly outcome: CellOutcome }
  /** Where the shrunk run was kept. */
  | { readonly folder: string }
  /** The plan did not fail again. */
  | { readonly folder: null }
  /** The plan for real servers; null when nothing breaks the cell. */
  | { readonly plan: Plan | null }
  /** The task failed: nothing is known about the cell. With a hint, the user can fix it. */
  | { readonly error: string; readonly hint?: string | undefined };

const { scope, ...options } = workerData as LadderWork;
const cells = ladderCells(scope);
const port = parentPort;

port?.on("message", (task: Task) => {
  void answer(task).then((reply) => port.postMessage(reply));
});

async function answer({ cell: index, before, path, forRealServers }: Task): Promise<LadderAnswer> {
  const cell: Cell | undefined = cells[index];
  if (cell === undefined) return { error: `there is no cell ${index}` };
  try {
    if (forRealServers === true) return { plan: (await robustPlan(cell, options.seed)) ?? null };
    return path === undefined
      ? { outcome: await searchCell(cell, options, { before, onProgress: tell }) }
      : keptIn(await shrinkCell(cell, options, path));
  } catch (error) {
    return { error: messageOf(error), hint: error instanceof UserError ? error.hint : undefined };
  }
}

function keptIn(folder: string | null): LadderAnswer {
  return folder === null ? { folder } : { folder };
}

function tell(progress: CellProgress): void {
  port?.postMessage({ interim: progress } satisfies Interim<CellProgress>);
}
