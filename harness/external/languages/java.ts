import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { WorkerCommand } from "../../../lock-impl/worker-lock.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { buildFolder, kitFolder } from "./kit.ts";

const run = promisify(execFile);
const OLDEST = 17;
const MISSING = `lockstorm needs a JDK, version ${OLDEST} or newer, and Maven`;
const INSTALL =
  "install them (on Debian: apt-get install openjdk-17-jdk-headless maven), then run lockstorm setup --with java again";
const PACKAGE = "org.lockstorm.locks";
/** A client is short-lived: it starts sooner without the optimizing compiler and with fewer threads. */
const QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"];
const QUIET = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"];
/** The command of a worker in Java. @throws UserError when `setup --with java` has not built it */
export function javaCommand(name: string, program: string): WorkerCommand {
  const folder = jarsFolder();
  if (!existsSync(folder)) {
    throw new UserError(`the lock ${name} needs libraries of Java`, "run npx lockstorm setup --with java");
  }
  return { program: "java", arguments: words(folder, program), environment: {}, directory: folder };
}

/** The same class path in the same order each time, or its archive does not fit. */
function words(folder: string, program: string): string[] {
  const jars = readdirSync(folder)
    .filter((file) => file.endsWith(".jar"))
    .sort();
  const classPath = jars.map((jar) => join(folder, jar)).join(":");
  return [...QUICK_START, ...QUIET, "-cp", classPath, `${PACKAGE}.${program}`];
}

/**
 * Builds the workers of Java with their libraries, in the user's cache, once for each state of their sources.
 * @throws UserError when the JDK or Maven is missing or too old, or the build fails
 */
export async function prepareJava(onProgress: (line: string) => void): Promise<"present" | "made"> {
  const folder = jarsFolder();
  if (existsSync(folder)) return "present";
  await requireTools();
  onProgress("java: building the workers, and fetching their libraries");
  const building = `${folder}-${process.pid}`;
  try {
    await mkdir(building, { recursive: true });
    const kit = kitFolder("java");
    const filter = (path: string): boolean => isBuilt(relative(kit, path));
    await cp(kit, join(building, "kit"), { recursive: true, filter });
    const maven = [
      "--quiet",
      "--batch-mode",
      "--projects",
      "locks",
      "--also-make",
      "-Dmaven.test.skip=true",
      "package",
    ];
    await run("mvn", maven, { cwd: join(building, "kit"), maxBuffer: 50_000_000 });
    const target = join(building, "kit", "locks", "target");
    await cp(join(target, "lib"), join(building, "jars"), { recursive: true });
    await cp(join(target, "lockstorm-locks-0.1.0.jar"), join(building, "jars", "lockstorm-locks-0.1.0.jar"));
    await rename(join(building, "jars"), folder);
  } catch (error) {
    throw new UserError(`the workers of Java cannot be built: ${firstError(error)}`, INSTALL, { cause: error });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return "made";
}

/** What Maven says of why, without the lines around it. */
function firstError(error: unknown): string {
  const said = typeof error === "object" && error !== null && "stdout" in error ? String(error.stdout) : "";
  return /^\[ERROR\] (.*)$/m.exec(said)?.[1] ?? messageOf(error).split("\n")[0] ?? "";
}

async function requireTools(): Promise<void> {
  try {
    const { stdout } = await run("javac", ["-version"]);
    const version = Number(/(\d+)/.exec(stdout)?.[1]);
    if (!(version >= OLDEST)) throw new Error(`the JDK has version ${version}`);
    await run("mvn", ["--version"]);
  } catch (error) {
    throw new UserError(MISSING, INSTALL, { cause: error });
  }
}

function jarsFolder(): string {
  return buildFolder("java", (path) => isBuilt(path) && /\.java$|(^|\/)pom\.xml$/.test(path));
}

/** Whether a path in the kit belongs to the workers or their build: not a test, an old version, or made by an earlier build. */
function isBuilt(path: string): boolean {
  return !/(^|\/)(target|test|upstream)(\/|$)/.test(path);
}
