import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Where this user's lockstorm keeps what outlives a run: `$XDG_CACHE_HOME/lockstorm`, usually `~/.cache/lockstorm`.
 * Not the shared folder for temporary files: what is read from here says which processes to kill and what to delete.
 */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "lockstorm");
}
