import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import type { WorkerCommand } from "../../lock-impl/worker-lock.ts";

/** Why a program could not be started, and what to do about it. */
export interface StartProblem {
  readonly what: string;
  readonly mend: string;
}

/** A first line of a script that is longer does not name an interpreter. */
const LONGEST_FIRST_LINE = 256;

/**
 * Why a program could not be started: the operating system says ENOENT as well when the working directory or the interpreter
 * of a script is missing. What it says itself is the answer where nothing else is found.
 */
export function startProblem({ program, directory }: WorkerCommand, said: string): StartProblem {
  const isPath = program.includes("/");
  if (!isFolder(directory)) {
    return { what: `its working directory ${directory} does not exist`, mend: "correct `command.directory`" };
  }
  if (!isPath && said.endsWith(" ENOENT")) {
    return { what: `no program ${program} is in PATH`, mend: "install it, or correct `command.program`" };
  }
  if (!isPath) return { what: said, mend: "correct `command.program`" };
  if (isFolder(program)) return { what: `${program} is a folder`, mend: "correct `command.program`" };
  if (!isThere(program)) return { what: `${program} does not exist`, mend: "correct `command.program`, or build it" };
  if (!isExecutable(program)) return { what: `${program} is not executable`, mend: `run chmod +x ${program}` };
  const interpreter = interpreterOf(program);
  if (interpreter !== undefined && !isThere(interpreter)) {
    const what = `the interpreter ${interpreter} that its first line names does not exist`;
    return { what, mend: `install it, or correct the first line of ${program}` };
  }
  return { what: said, mend: "try to start the program by hand" };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The interpreter that the first line of a script names; undefined if it names none. */
function interpreterOf(path: string): string | undefined {
  const bytes = Buffer.alloc(LONGEST_FIRST_LINE);
  const file = openSync(path, "r");
  try {
    const read = bytes.toString("latin1", 0, readSync(file, bytes));
    return /^#! *(\S+)/.exec(read)?.[1];
  } finally {
    closeSync(file);
  }
}
