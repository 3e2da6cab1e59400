import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LockDriver } from "../../lock-impl/driver.ts";
import { findLock, type LockEntry, locks } from "../../lock-impl/registry.ts";
import { messageOf, UserError } from "../core/errors.ts";

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
  if (isModulePath(lock)) return loadModule(resolve(lock));
  const entry = findLock(lock);
  if (entry === undefined) {
    const names = locks.map(({ name }) => name).join(", ");
    throw new UserError(
      `there is no lock "${lock}"`,
      `choose one of ${names}, or give the path of a driver: ./my-lock.ts`,
    );
  }
  try {
    return await entry.load();
  } catch (error) {
    throw explainMissingPackage(entry, error) ?? error;
  }
}

/** A lock from npm needs its package, which is installed apart. Undefined where something else is wrong. */
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
  if (!existsSync(path)) throw new UserError(`there is no file ${path}`, "correct the path given as lock");
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new UserError(`${path} cannot be loaded: ${messageOf(error)}`, mendOfLoading(error), { cause: error });
  }
  return driverIn(loaded, path);
}

/** What to do about a module that Node does not load. */
function mendOfLoading(error: unknown): string {
  if (error instanceof SyntaxError && /Cannot use import statement|Unexpected token 'export'/.test(error.message)) {
    return 'name it .mts or .mjs, or write "type": "module" in package.json';
  }
  return "have it load with plain Node, which strips types and nothing more";
}

/**
 * The driver among a module's exports, or the driver itself.
 * @param origin where it comes from, for the error
 * @throws UserError when there is none
 */
export function driverIn(loaded: unknown, origin: string): LockDriver {
  const exported = typeof loaded === "object" && loaded !== null ? (loaded as Record<string, unknown>) : {};
  const driver = [exported["driver"], exported["default"], loaded].find(isDriver);
  if (driver !== undefined) return driver;
  throw new UserError(`${origin} exports no lock driver`, "export a LockDriver as default or as `driver`");
}

function isDriver(value: unknown): value is LockDriver {
  return typeof value === "object" && value !== null && "connect" in value && typeof value.connect === "function";
}
