import { closeSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../core/errors.ts";
import { fieldGivenTwice } from "../core/json/given-twice.ts";
import { firstIssue } from "../history/first-issue.ts";
import type { History } from "../history/history.ts";
import { type Plan, PLAN_VERSION, planSchema } from "../core/plan.ts";
import { codeOf, mendOfWriting, systemReason } from "../core/system-reason.ts";
import type { Verdict } from "../core/verdict.ts";
import { readTextFile } from "./input-file.ts";
import { appendWhole, makeFolder, openForLines, replaceFile, unwritable } from "./output-file.ts";
import type { LineSink } from "./recorder.ts";

/** The folder in which all runs are kept, below the working directory. */
export const STORE = ".lockstorm";

/** How many characters are written at a time when nobody waits for a line. */
const LARGE_WRITE = 1 << 20;

/**
 * The folder of one run: `plan.json` first, `history.jsonl` during the run, `verdict.json` and the reports after it,
 * `wire.json` and `control.jsonl` where a simulation made them, and `logs` with the output of clients and nodes.
 */
export class RunFolder implements Disposable {
  readonly path: string;
  readonly #history: number;

  private constructor(path: string) {
    this.path = path;
    this.#history = openForLines(this.historyFile, true);
  }

  /**
   * Makes the folder `<store>/runs/<time>-<seed>`; another run in the same second gets a number appended.
   * @throws UserError when it cannot be written
   */
  static create(store: string, plan: Plan, now: Date): RunFolder {
    const time = now.toISOString().slice(0, 19).replaceAll(":", "-");
    try {
      const path = makeUnique(join(store, "runs", `${time}-${plan.seed}`));
      mkdirSync(join(path, "logs"));
      replaceFile(join(path, "plan.json"), `${JSON.stringify(plan, undefined, 2)}\n`);
      return new RunFolder(path);
    } catch (error) {
      const why = error instanceof UserError ? error.message : systemReason(error);
      throw new UserError(`the run cannot be recorded in ${store}: ${why}`, mendOfWriting(error), {
        cause: error,
      });
    }
  }

  get historyFile(): string {
    return join(this.path, "history.jsonl");
  }

  get planFile(): string {
    return join(this.path, "plan.json");
  }

  get logFolder(): string {
    return join(this.path, "logs");
  }

  /** Writes a line of the history at once: it survives the harness. @throws UserError when it cannot be written */
  readonly sink: LineSink = (line) => {
    try {
      appendWhole(this.#history, line);
    } catch (error) {
      throw unwritable(this.historyFile, error);
    }
  };

  /** Writes the whole history of a run that is over. */
  writeHistory({ header, events, end }: History): void {
    let text = `${JSON.stringify(header)}\n`;
    for (const line of end === undefined ? events : [...events, end]) {
      text += `${JSON.stringify(line)}\n`;
      if (text.length < LARGE_WRITE) continue;
      this.sink(text);
      text = "";
    }
    this.sink(text);
  }

  writeVerdict(verdict: Verdict): void {
    this.write("verdict.json", `${JSON.stringify(verdict, undefined, 2)}\n`);
  }

  /** Writes another file, a report, and returns its path. */
  write(name: string, content: string): string {
    const path = join(this.path, name);
    replaceFile(path, content);
    return path;
  }

  [Symbol.dispose](): void {
    closeSync(this.#history);
  }
}

function makeUnique(path: string): string {
  makeFolder(dirname(path));
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    try {
      mkdirSync(candidate);
      return candidate;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** Reads a saved plan. @throws UserError when there is none, or when the file is not a plan */
export function readPlan(path: string): Plan {
  let json: unknown;
  let twice: string | undefined;
  try {
    const text = readTextFile(path);
    json = JSON.parse(text);
    twice = fieldGivenTwice(text, json);
  } catch (error) {
    throw new UserError(`${path} cannot be read as a plan: ${systemReason(error)}`, "give the plan.json of a run", {
      cause: error,
    });
  }
  if (twice !== undefined) {
    const problem = `${JSON.stringify(twice)} is given twice in one object`;
    throw new UserError(`${path} is not a plan: ${problem}`, "give each field once");
  }
  const parsed = planSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const version = typeof json === "object" && json !== null && "version" in json ? json.version : undefined;
  if (typeof version === "number" && version > PLAN_VERSION)
    throw new UserError(`${path} is a plan of version ${version}, newer than ${PLAN_VERSION}`, "update lockstorm");
  throw new UserError(`${path} is not a plan: ${firstIssue(parsed.error)}`, "correct the plan, or record it again");
}
