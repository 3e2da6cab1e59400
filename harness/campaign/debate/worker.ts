import { parentPort } from "node:worker_threads";
import { faults } from "../../../faults/registry.ts";
import { debate } from "../../../workloads/debate.ts";
import type { Contender, Guard } from "../../../workloads/headline-contenders.ts";
import type { UpdateLosses } from "../../check/properties/update-losses.ts";
import { messageOf } from "../../core/errors.ts";
import type { MeasuredCell } from "../../core/measurement.ts";
import { measureCell } from "./measure-cell.ts";
import { measureLosses } from "./measure-losses.ts";

/** A cell of an experiment, by its index: functions cannot be sent to a thread. */
export interface CellTask {
  readonly experiment: string;
  readonly cell: number;
  readonly seed: number;
  readonly runs: number;
}

/** Some minutes of the headline measure. */
export interface LossTask {
  readonly contender: Contender;
  readonly guard: Guard;
  readonly seed: number;
  /** The first of the minutes, counted from 0. */
  readonly from: number;
  readonly minutes: number;
}

export type DebateAnswer =
  | { readonly cell: MeasuredCell }
  | { readonly losses: UpdateLosses }
  /** The task failed: nothing is known. */
  | { readonly error: string };

const port = parentPort;

port?.on("message", (task: CellTask | LossTask) => {
  void answer(task).then((reply) => port.postMessage(reply));
});

async function answer(task: CellTask | LossTask): Promise<DebateAnswer> {
  try {
    if ("guard" in task) return { losses: await measureLosses(task) };
    const experiment = debate.find(({ id }) => id === task.experiment);
    const cell = experiment?.cells(faults)[task.cell];
    if (experiment === undefined || cell === undefined) return { error: "there is no such cell" };
    return { cell: await measureCell(experiment, cell, task) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
