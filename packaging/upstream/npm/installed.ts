import { createRequire } from "node:module";

/**
 * What a version of a package exports that `npm run upstream` has installed.
 * @param folder the one in `bin`: `redis-lock-0.0.9`
 */
export function installed(folder: string, packageName: string): unknown {
  return createRequire(new URL(`bin/${folder}/`, import.meta.url))(packageName);
}
