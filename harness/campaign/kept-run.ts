import { replayFromHere } from "../core/words/replay-from-here.ts";
import { cpSync, existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { type Recurrence, recurrenceSchema } from "../core/recurrence.ts";
import { UserError } from "../core/errors.ts";
import type { Verdict } from "../core/verdict.ts";
import { readTextFile } from "../run/input-file.ts";
import { makeFolder, replaceFile } from "../run/output-file.ts";
import type { DrawRun } from "./run-environment.ts";
import { readPlan } from "../run/store.ts";
import { readHistory } from "../run/read-history.ts";
import { readWire } from "../run/wire-files.ts";

/** A run that has a folder. */
export interface KeptRun {
  readonly record: RunRecord;
  readonly folder: string;
}

/**
 * Writes `report.html` into the folder of a kept run, where it can be drawn.
 * @throws UserError when it cannot be written: the line still has the verdict
 */
export function drawReport({ record, folder }: KeptRun, drawRun: DrawRun | undefined): void {
  if (drawRun === undefined) return;
  const page = drawRun(record);
  withVerdict(record.verdict, () => replaceFile(join(folder, "report.html"), page));
}

/** Writes what is left of a judged run. @throws UserError when it cannot be written: the line still has the verdict */
export function withVerdict<T>({ verdict }: Pick<Verdict, "verdict">, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${error.message}, and the verdict of the run is ${verdict}`, error.hint, { cause: error });
  }
}

/** Keeps a run and draws it, where it can be drawn. */
export function keepRun({ keep }: { readonly keep: () => KeptRun }, drawRun: DrawRun | undefined): KeptRun {
  const kept = keep();
  drawReport(kept, drawRun);
  return kept;
}

/** The file in the folder of a counterexample that says how often its violation came again. */
const RECURRENCE = "recurrence.json";
const VERDICT = "verdict.json";

/** Keeps a counterexample with what is known of how often its violation comes again, and draws it. */
export function keepRecurring(
  { keep }: { readonly keep: () => KeptRun },
  recurrence: Recurrence,
  drawRun: DrawRun | undefined,
): KeptRun {
  const { record, folder } = keep();
  const kept = { folder, record: { ...record, recurrence } };
  withVerdict(record.verdict, () => writeRecurrence(folder, recurrence));
  drawReport(kept, drawRun);
  return kept;
}

/** Writes how often the violation of a kept run came again, beside its verdict. */
function writeRecurrence(folder: string, recurrence: Recurrence): void {
  replaceFile(join(folder, RECURRENCE), `${JSON.stringify(recurrence, undefined, 2)}\n`);
}

/**
 * How often the violation of a kept run came again; undefined where nobody counted.
 * @throws UserError for a broken file
 */
export function readRecurrence(folder: string): Recurrence | undefined {
  const path = join(folder, RECURRENCE);
  if (!existsSync(path)) return undefined;
  try {
    return recurrenceSchema.parse(JSON.parse(readTextFile(path)));
  } catch (error) {
    throw new UserError(`${path} cannot be read`, "give the unchanged results of a hunt", { cause: error });
  }
}

/**
 * Reads a kept run with the verdict that it had then.
 * @throws UserError when part of it is missing or broken
 */
export async function readKeptRun(folder: string): Promise<RunRecord> {
  const planFile = join(folder, "plan.json");
  const plan = readPlan(planFile);
  const history = await readHistory(join(folder, "history.jsonl"));
  const { title } = history.header;
  const verdict = readVerdict(join(folder, VERDICT));
  const replayCommand = replayFromHere(planFile);
  const recurrence = readRecurrence(folder);
  return {
    plan,
    history,
    verdict,
    replayCommand,
    title: typeof title === "string" ? title : undefined,
    recurrence,
    ...(await readWire(folder)),
  };
}

function readVerdict(path: string): Verdict {
  try {
    return JSON.parse(readTextFile(path)) as Verdict;
  } catch (error) {
    throw new UserError(`${path} cannot be read as a verdict`, "give the unchanged results of a hunt", {
      cause: error,
    });
  }
}

/** The verdict as the folder of a run states it, not validated; undefined where it cannot be read. */
export function readStoredVerdict(folder: string): unknown {
  const path = join(folder, VERDICT);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readTextFile(path));
  } catch {
    return undefined;
  }
}

/** Copies a kept run into another store, where its plan can be replayed, and returns its folder there. */
export function adoptRun(folder: string, store: string): string {
  const runs = join(store, "runs");
  if (resolve(folder) === resolve(runs, basename(folder))) return folder;
  makeFolder(runs);
  let target = join(runs, basename(folder));
  for (let number = 2; existsSync(target); number += 1) target = join(runs, `${basename(folder)}-${number}`);
  cpSync(folder, target, { recursive: true });
  return target;
}
