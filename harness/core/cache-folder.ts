import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The folder for what outlives a run: `$XDG_CACHE_HOME/lockstorm`, usually `~/.cache/lockstorm`. It is not the shared
 * folder for temporary files, because its content decides which processes to kill and what to delete.
 */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "lockstorm");
}
