import type { Language } from "../../../lock-impl/workers/workers.ts";
import type { WorkerCommand } from "../../../lock-impl/worker-lock.ts";
import { goCommand, prepareGo } from "./go.ts";
import { javaCommand, prepareJava } from "./java.ts";
import { preparePython, pythonCommand } from "./python.ts";

/** What a language needs so that locks of its libraries can run. */
export interface LanguageToolchain {
  /**
   * Prepares its packages in the user's cache, once.
   * @throws UserError when its tools are missing, or the packages cannot be had
   */
  prepare(onProgress: (line: string) => void): Promise<unknown>;
  /** How the worker of a lock is started. @throws UserError when `prepare` has not been here */
  command(name: string, program: string): WorkerCommand;
}

/** The languages that `setup --with` knows. */
export const TOOLCHAINS: Readonly<Record<Language, LanguageToolchain>> = {
  go: { prepare: prepareGo, command: goCommand },
  java: { prepare: prepareJava, command: javaCommand },
  python: { prepare: preparePython, command: pythonCommand },
};
