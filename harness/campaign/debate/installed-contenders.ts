import { isInstalled } from "../../../lock-impl/installed.ts";
import { findLock } from "../../../lock-impl/registry.ts";
import type { LockEntry } from "../../../lock-impl/lock-entry.ts";
import { CONTENDERS, type Contender } from "../../../workloads/headline-contenders.ts";
import { loadDriver } from "../../client/load-driver.ts";

/** The locks that can be measured here. */
export interface InstalledContenders {
  readonly contenders: readonly Contender[];
  /** The packages from npm of those that were left out, for `npm install`. */
  readonly notInstalled: readonly string[];
}

/**
 * The locks to measure. Who asks for a lock by its name wants it; who asks for all wants what there is.
 * @param asked their names; all of them if it is absent
 * @param isThere whether the package of a lock is installed
 * @throws UserError when the package of a lock that was named is not installed
 */
export async function installedContenders(
  asked?: readonly string[],
  isThere: (lock: LockEntry) => boolean = isInstalled,
): Promise<InstalledContenders> {
  const wanted = CONTENDERS.filter(({ lock }) => asked?.includes(lock) ?? true);
  const missing = wanted.flatMap(({ lock }) => findLock(lock) ?? []).filter((lock) => !isThere(lock));
  const [first] = asked === undefined ? [] : missing;
  if (first !== undefined) await loadDriver(first.name);
  const left = missing.map(({ name }) => name);
  return {
    contenders: wanted.filter(({ lock }) => !left.includes(lock)),
    notInstalled: [...new Set(missing.flatMap(({ npmPackage }) => npmPackage ?? []))],
  };
}
