import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UserError } from "../core/errors.ts";
import { type Plan, planSchema } from "../core/plan.ts";
import type { Verdict } from "../core/verdict.ts";
import type { LineSink } from "./recorder.ts";

/** The folder in which all runs are kept, below the working directory. */
export const STORE = ".lockstorm";

/**
 * The folder of one run: `plan.json` first, `history.jsonl` while the run goes, `verdict.json` and the reports after,
 * and `logs` with what clients and nodes wrote.
 */
export class RunFolder implements Disposable {
  readonly path: string;
  readonly #history: number;

  private constructor(path: string) {
    this.path = path;
    this.#history = openSync(this.historyFile, "a");
  }

  /**
   * Makes the folder `<store>/runs/<time>-<seed>`; a second run in the same second gets a further number.
   * @throws UserError when it cannot be written
   */
  static create(store: string, plan: Plan, now: Date): RunFolder {
    const time = now.toISOString().slice(0, 19).replaceAll(":", "-");
    try {
      const path = makeUnique(join(store, "runs", `${time}-${plan.seed}`));
      mkdirSync(join(path, "logs"));
      writeFileSync(join(path, "plan.json"), `${JSON.stringify(plan, undefined, 2)}\n`);
      return new RunFolder(path);
    } catch (error) {
      throw new UserError(`the run cannot be recorded in ${store}: ${messageOf(error)}`, "make the folder writable", {
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

  /** Writes a line of the history at once: what happened survives the harness. */
  readonly sink: LineSink = (line) => {
    writeSync(this.#history, line);
  };

  writeVerdict(verdict: Verdict): void {
    this.write("verdict.json", `${JSON.stringify(verdict, undefined, 2)}\n`);
  }

  /** Writes a further file, a report, and gives its path. */
  write(name: string, content: string): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }

  [Symbol.dispose](): void {
    closeSync(this.#history);
  }
}

function makeUnique(path: string): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (existsSync(candidate)) continue;
    mkdirSync(candidate, { recursive: true });
    return candidate;
  }
}

/** Reads a saved plan. @throws UserError when there is none, or when it is not one */
export function readPlan(path: string): Plan {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UserError(`${path} cannot be read as a plan: ${messageOf(error)}`, "give the plan.json of a run", {
      cause: error,
    });
  }
  const parsed = planSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserError(
    `${path} is not a plan: ${issue?.path.map(String).join(".")}: ${issue?.message}`,
    "correct it, or record it again",
  );
}
