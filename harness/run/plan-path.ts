import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the pages of locks have the plans of their counterexamples, in a clone and in the package alike. */
const DOCUMENTED = "docs/locks/plans/";

/**
 * The file of a plan. The documentation names the plans of its counterexamples by their place in a clone; in any other
 * folder such a name means the plan that comes with the package.
 */
export function planPath(path: string): string {
  if (!path.startsWith(DOCUMENTED) || existsSync(path)) return path;
  const shipped = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  return existsSync(shipped) ? shipped : path;
}
