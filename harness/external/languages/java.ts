import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { WorkerCommand } from "../../../lock-impl/worker-lock.ts";
import { cacheFolder } from "../../core/cache-folder.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { kitFolder } from "./kit.ts";

const run = promisify(execFile);
const OLDEST = 17;
const MISSING = `lockstorm needs a JDK, version ${OLDEST} or newer, and Maven`;
const INSTALL =
  "install them (on Debian: apt-get install openjdk-17-jdk-headless maven), then run lockstorm setup --with java again";
const PACKAGE = "org.lockstorm.locks";
/** A client is short-lived: it starts sooner without the optimizing compiler and with fewer threads. */
const QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"];
const QUIET = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"];
/** What belongs to neither the workers nor their build. */
const NOT_BUILT = ["target", "test"];

/** The command of a worker in Java. @throws UserError when `setup --with java` has not built it */
export function javaCommand(name: string, program: string): WorkerCommand {
  const folder = buildFolder();
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
  const folder = buildFolder();
  if (existsSync(folder)) return "present";
  await requireTools();
  onProgress("java: building the workers, and fetching their libraries");
  const building = `${folder}-${process.pid}`;
  try {
    await mkdir(building, { recursive: true });
    const kit = kitFolder("java");
    const isBuilt = (path: string): boolean =>
      !relative(kit, path)
        .split("/")
        .some((part) => NOT_BUILT.includes(part));
    await cp(kit, join(building, "kit"), { recursive: true, filter: isBuilt });
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

/** In the user's cache, named after what is built in it. */
function buildFolder(): string {
  const kit = kitFolder("java");
  const hash = createHash("sha256");
  for (const file of sources(kit)) hash.update(`${relative(kit, file)}\0`).update(readFileSync(file));
  return join(cacheFolder(), `java-${hash.digest("hex").slice(0, 12)}`);
}

/** The files that the workers are built of. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return NOT_BUILT.includes(entry.name) ? [] : sources(path);
      return /\.java$|^pom\.xml$/.test(entry.name) ? [path] : [];
    });
}
