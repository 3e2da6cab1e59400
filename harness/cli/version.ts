import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

/** The version of lockstorm, from its package.json. */
export function version(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) throw new Error("lockstorm has no package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly version: string }).version;
}
