import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { WorkerCommand } from "../../../lock-impl/worker-lock.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { buildFolder, kitFolder } from "./kit.ts";

const run = promisify(execFile);
/** What is installed, by its path in the kit. */
const REQUIREMENTS = join("locks", "requirements.txt");
const MISSING = "lockstorm needs Python 3.9 or newer with venv and pip";
const INSTALL = "install them (on Debian: apt-get install python3-venv), then run lockstorm setup --with python again";

/** The command of a worker in Python. @throws UserError when `setup --with python` has not prepared its packages */
export function pythonCommand(name: string, program: string): WorkerCommand {
  const folder = environmentFolder();
  if (!existsSync(marker(folder))) {
    throw new UserError(`the lock ${name} needs packages of Python`, "run npx lockstorm setup --with python");
  }
  const kit = kitFolder("python");
  return {
    program: interpreterIn(folder),
    arguments: [join(kit, program)],
    environment: { PYTHONPATH: join(kit, "src"), PYTHONDONTWRITEBYTECODE: "1" },
    directory: dirname(join(kit, program)),
  };
}

/**
 * Prepares the packages that workers in Python need: a virtual environment in the user's cache, made once for each list of
 * requirements.
 * @throws UserError when Python is missing or too old, or the packages cannot be installed
 */
export async function preparePython(onProgress: (line: string) => void): Promise<"present" | "made"> {
  const folder = environmentFolder();
  if (existsSync(marker(folder))) return "present";
  await requirePython();
  try {
    onProgress("python: making a virtual environment");
    await mkdir(dirname(folder), { recursive: true });
    // What an interrupted set-up left.
    await rm(folder, { recursive: true, force: true });
    await run("python3", ["-m", "venv", folder]);
    onProgress("python: installing packages");
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirementsFile()];
    await run(interpreterIn(folder), pip);
    await writeFile(marker(folder), "");
  } catch (error) {
    throw new UserError(`${MISSING}: ${messageOf(error)}`, INSTALL, { cause: error });
  }
  return "made";
}

async function requirePython(): Promise<void> {
  const question = "import sys; print(sys.version_info >= (3, 9))";
  const { stdout } = await run("python3", ["-c", question]).catch((error: unknown) => {
    throw new UserError(MISSING, INSTALL, { cause: error });
  });
  if (stdout.trim() !== "True") throw new UserError(MISSING, INSTALL);
}

function environmentFolder(): string {
  return buildFolder("python", (path) => path === REQUIREMENTS);
}

function requirementsFile(): string {
  return join(kitFolder("python"), REQUIREMENTS);
}

function interpreterIn(folder: string): string {
  return join(folder, "bin", "python");
}

/** Exists when everything is installed. */
function marker(folder: string): string {
  return join(folder, "lockstorm-ready");
}
