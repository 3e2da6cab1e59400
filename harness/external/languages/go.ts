import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { WorkerCommand } from "../../../lock-impl/worker-lock.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { buildFolder, kitFolder } from "./kit.ts";

const run = promisify(execFile);
const MISSING = "lockstorm needs Go 1.21 or newer, and the modules of the locks";
const INSTALL = "install Go (https://go.dev/dl), then run lockstorm setup --with go again";

/** The command of a worker in Go: its name is the program's argument. @throws UserError when `setup --with go` has not built it */
export function goCommand(name: string, program: string): WorkerCommand {
  const folder = programFolder();
  if (!existsSync(programIn(folder))) {
    throw new UserError(`the lock ${name} needs a program in Go`, "run npx lockstorm setup --with go");
  }
  return { program: programIn(folder), arguments: [program], environment: {}, directory: folder };
}

/**
 * Builds the program that has the locks of Go libraries, in the user's cache, once for each state of its sources.
 * @throws UserError when Go is missing, or the program cannot be built
 */
export async function prepareGo(onProgress: (line: string) => void): Promise<"present" | "made"> {
  const folder = programFolder();
  if (existsSync(programIn(folder))) return "present";
  await run("go", ["version"]).catch((error: unknown) => {
    throw new UserError(`${MISSING}: there is no go command`, INSTALL, { cause: error });
  });
  try {
    onProgress("go: building the program of the locks");
    await mkdir(folder, { recursive: true });
    // The program appears when it is whole.
    const unfinished = `${programIn(folder)}.${process.pid}`;
    const cwd = join(kitFolder("go"), "locks");
    // A workspace or flags of the user's do not count, and the sources need not lie in a repository.
    const env = { ...process.env, GOWORK: "off", GOFLAGS: "" };
    await run("go", ["build", "-buildvcs=false", "-o", unfinished, "."], { cwd, env });
    await rename(unfinished, programIn(folder));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new UserError(`${MISSING}: ${lastLineOf(error)}`, INSTALL, { cause: error });
  }
  return "made";
}

/** What the compiler said at the end. */
function lastLineOf(error: unknown): string {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return said === "" ? messageOf(error) : (said.split("\n").at(-1) ?? "");
}

function programFolder(): string {
  return buildFolder("go", (path) => /^((worker|locks)\/)?(go\.(mod|sum)|\w+(?<!_test)\.go)$/.test(path));
}

function programIn(folder: string): string {
  return join(folder, "lockstorm-locks");
}
