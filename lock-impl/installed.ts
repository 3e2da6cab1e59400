import { findPackageJSON } from "node:module";
import type { LockEntry } from "./lock-entry.ts";

/** Whether the package from npm that a lock needs is installed beside lockstorm. True for a lock that needs none. */
export function isInstalled({ npmPackage }: Pick<LockEntry, "npmPackage">): boolean {
  if (npmPackage === undefined) return true;
  try {
    return findPackageJSON(packageName(npmPackage), import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

/** The name under which a package is imported: `redlock4` of `redlock4@npm:redlock@4.2.0`. */
function packageName(npmPackage: string): string {
  const at = npmPackage.indexOf("@", 1);
  return at < 0 ? npmPackage : npmPackage.slice(0, at);
}
