import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { RunRecord } from "../../../reports/run-record.ts";
import { UserError } from "../../core/errors.ts";
import type { Verdict } from "../../core/verdict.ts";
import { readPlan } from "../../run/store.ts";
import { readHistory } from "../read-history.ts";

/** Reads a run that was kept, as it was judged then. @throws UserError when part of it is missing or broken */
export async function readKeptRun(folder: string): Promise<RunRecord> {
  const planFile = join(folder, "plan.json");
  const plan = readPlan(planFile);
  const history = await readHistory(join(folder, "history.jsonl"));
  const { title } = history.header;
  const verdict = readVerdict(join(folder, "verdict.json"));
  const replayCommand = `npx lockstorm replay ${planFile}`;
  return { plan, history, verdict, replayCommand, ...(typeof title === "string" ? { title } : {}) };
}

function readVerdict(path: string): Verdict {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Verdict;
  } catch (error) {
    throw new UserError(`${path} cannot be read as a verdict`, "give the results of a hunt as it left them", {
      cause: error,
    });
  }
}

/** Copies a kept run into another store, where its plan can be replayed, and gives its folder there. */
export function adoptRun(folder: string, store: string): string {
  const runs = join(store, "runs");
  if (resolve(folder) === resolve(runs, basename(folder))) return folder;
  mkdirSync(runs, { recursive: true });
  let target = join(runs, basename(folder));
  for (let number = 2; existsSync(target); number += 1) target = join(runs, `${basename(folder)}-${number}`);
  cpSync(folder, target, { recursive: true });
  return target;
}
