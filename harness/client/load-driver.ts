import { existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, extname, isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { LockDriver } from "../core/lock-driver.ts";
import { findLock, type LockEntry, locks } from "../../lock-impl/registry.ts";
import { mostAlike } from "../core/words/did-you-mean.ts";
import { messageOf, UserError } from "../core/errors.ts";
import { problemOfLoading } from "./loading-problems.ts";
import { heartbeat } from "./heartbeat.ts";
import { notingGlobals } from "./globals-of-drivers.ts";
import { systemReason } from "../core/system-reason.ts";
import { shellWord } from "../core/words/shell-word.ts";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { externalDriver } from "../external/external-driver.ts";
import { findWorker } from "../external/find-worker.ts";
import { isWorkerFile, readWorkerFile } from "../external/worker-file.ts";
import { withoutFaking } from "./fake-timers.ts";
import { loadTypeScriptOfProjects } from "./typescript/typescript-hooks.ts";

/** True when `lock` names a module rather than a registered lock. */
export function isModulePath(lock: string): boolean {
  return lock.startsWith(".") || isAbsolute(lock);
}

/**
 * Loads the lock under test: a registered one by its name, or a user's module by its path. The module exports a
 * `LockDriver` as `default` or as `driver`.
 * @throws UserError when there is no such lock or the module exports no driver
 */
export async function loadDriver(lock: string): Promise<LockDriver> {
  return notingGlobals(() => load(lock));
}

async function load(lock: string): Promise<LockDriver> {
  const worker = findWorker(lock);
  if (worker !== undefined) return externalDriver(worker);
  if (isModulePath(lock)) {
    const driver = await loadModule(resolve(lock));
    noteStatements(lock, driver);
    return driver;
  }
  const entry = findLock(lock);
  if (entry === undefined) {
    throw new UserError(`there is no lock "${lock}"`, hintForLock(lock));
  }
  try {
    return await entry.load();
  } catch (error) {
    throw explainMissingPackage(entry, error) ?? error;
  }
}

/** What the drivers of users' modules say of their locks, by the names under which they were loaded. */
const statements = new Map<string, Pick<LockDriver, "assumes" | "leases">>();

/** Keeps what a driver says of its lock, if something else than its path loads it. */
export function noteStatements(lock: string, { assumes, leases }: LockDriver): void {
  statements.set(lock, { assumes, leases });
}

/** Whether a lock may rest on the wall clocks of its clients: any whose driver does not say that it does not. Known once it was loaded. */
export function mayAssumeClientClocks(lock: string): boolean {
  return statements.get(lock)?.assumes?.clientClocks !== false;
}

/**
 * Whether what a lock grants ends by itself: of any whose driver or worker file does not say that it does not. Of a driver it is
 * known once it was loaded.
 */
export function hasLeases(lock: string): boolean {
  const stated = isWorkerFile(lock) ? readWorkerFile(lock) : statements.get(lock);
  return stated?.leases !== false;
}

/** The file of that name, a lock of a similar name, or where locks come from. */
function hintForLock(lock: string): string {
  if (existsSync(lock)) return `for the file of that name, write ./${lock}`;
  if (lock.includes(","))
    return `give one lock, or have a table of several: lockstorm hunt --all --lock ${shellWord(lock)}`;
  const alike = mostAlike(
    lock,
    [...locks, ...libraryWorkers].map(({ name }) => name),
  );
  const path = "give the path of a driver: ./my-lock.ts, or ./my-lock.worker.json for another language";
  return alike === undefined ? `see lockstorm explain locks, or ${path}` : `did you mean ${alike}? Or ${path}`;
}

/** The source of a driver that lockstorm does not provide. */
export interface ForeignDriver {
  /** The file to load. */
  readonly path: string;
  /** The driver in what that file exports. */
  readonly find: (loaded: object) => Promise<LockDriver>;
}

/**
 * The module of a lock that a user wrote, or that is a library from npm. Undefined for the other locks, whose modules
 * keep no state that clients could share.
 */
export function foreignDriver(lock: string): ForeignDriver | undefined {
  if (findWorker(lock) !== undefined) return undefined;
  if (isModulePath(lock)) {
    const path = realpathSync(resolve(lock));
    return { path, find: async (loaded) => driverIn(loaded, path) };
  }
  const entry = findLock(lock);
  if (entry?.npmPackage === undefined) return undefined;
  const file = new URL(`../../lock-impl/libraries/${entry.name}${extname(import.meta.url)}`, import.meta.url);
  const isEntry = (value: unknown): value is LockEntry =>
    typeof value === "object" && value !== null && "name" in value && value.name === entry.name;
  return {
    path: fileURLToPath(file),
    find: async (loaded) => (Object.values(loaded).find(isEntry) ?? entry).load(),
  };
}

/** A lock from npm needs its package, which is installed separately. Undefined if something else is wrong. */
function explainMissingPackage({ name, npmPackage }: LockEntry, error: unknown): UserError | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (npmPackage === undefined || code !== "ERR_MODULE_NOT_FOUND") return undefined;
  return new UserError(
    `the lock ${name} needs a package from npm that is not installed`,
    `install it beside lockstorm: npm install ${npmPackage}`,
    { cause: error },
  );
}

async function loadModule(path: string): Promise<LockDriver> {
  const file = statusOf(path);
  if (file === undefined) throw new UserError(`there is no file ${path}`, hintOfAbsence(path));
  if (file.isDirectory()) throw new UserError(`${path} is a folder`, "give the file of the driver in it");
  if (!MODULE_EXTENSIONS.includes(extname(path))) {
    throw new UserError(
      `${path} is no module: its name ends in none of ${MODULE_EXTENSIONS.join(", ")}`,
      "give the file of a driver, or my-lock.worker.json for a lock in another language",
    );
  }
  loadTypeScriptOfProjects();
  let loaded: unknown;
  try {
    loaded = await withoutFaking(path, () =>
      heartbeat.during({ lock: path }, () => settled(import(pathToFileURL(path).href), path)),
    );
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw problemOfLoading(error, path);
  }
  return driverIn(loaded, path);
}

/** Undefined if nothing is there. @throws UserError if the system refuses to look */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${systemReason(error)}`, "correct the path of the lock", {
      cause: error,
    });
  }
}

const MODULE_EXTENSIONS = [".mts", ".ts", ".cts", ".mjs", ".js", ".cjs"];

/** The same file with another extension, if it is there: `init` chooses one by the project's package.json. */
function hintOfAbsence(path: string): string {
  const stem = path.slice(0, path.length - extname(path).length);
  const there = MODULE_EXTENSIONS.map((extension) => stem + extension).find((each) => existsSync(each));
  return there === undefined ? "correct the path of the lock" : `did you mean ${basename(there)}?`;
}

const LOADING_DEADLINE_MS = 30_000;

/**
 * The exports of a module. A module whose top-level await never settles would block its caller for ever or, if nothing
 * else is left to do, end the process without a message. @throws UserError then
 */
async function settled(loading: Promise<unknown>, path: string): Promise<unknown> {
  const never = Promise.withResolvers<never>();
  const giveUp = (): void =>
    never.reject(new UserError(`${path} never finishes loading`, "fix its top-level await, which does not settle"));
  process.once("beforeExit", giveUp);
  // A module may replace it by one that does not know this timer.
  const clear = clearTimeout;
  const timer = setTimeout(giveUp, LOADING_DEADLINE_MS);
  // With nothing else to wait for, the process learns of it at once.
  timer.unref();
  try {
    return await Promise.race([loading, never.promise]);
  } finally {
    clear(timer);
    process.off("beforeExit", giveUp);
  }
}

/**
 * The driver among a module's exports, or the driver itself.
 * @param origin where it comes from, for the error
 * @throws UserError when there is none
 */
export function driverIn(loaded: unknown, origin: string): LockDriver {
  try {
    const exported = asObject(loaded);
    // All exports of a CommonJS module are its default; Node does not always learn their names.
    const { driver: ofDefault } = asObject(exported["default"]);
    const driver = [exported["driver"], exported["default"], ofDefault, loaded].find(isDriver);
    if (driver !== undefined) return driver;
    throw new UserError(
      `${origin} exports no lock driver`,
      `export a LockDriver, an object with connect, as default or as \`driver\`${instead(exported)}`,
    );
  } catch (error) {
    if (error instanceof UserError) throw error;
    const problem = `${origin} exports something that cannot be read: ${messageOf(error)}`;
    throw new UserError(problem, "export a plain object as the driver", { cause: error });
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** What a module exports in its place: under another name, or a function that may make one. */
function instead(exported: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(exported).filter((name) => isDriver(exported[name]));
  if (names.length > 0) return `; it exports one as ${names.map((name) => `\`${name}\``).join(" and ")}`;
  const [name] = ["driver", "default"].filter((each) => typeof exported[each] === "function");
  return name === undefined ? "" : `; its ${name === "driver" ? "`driver`" : "default export"} is a function`;
}

function isDriver(value: unknown): value is LockDriver {
  return typeof value === "object" && value !== null && "connect" in value && typeof value.connect === "function";
}
