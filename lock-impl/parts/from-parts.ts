import type { LockDriver } from "../../harness/core/lock-driver.ts";
import type { NamedParts } from "./compose.ts";

/**
 * How a lock made of parts is loaded. The call imports the Redis client, not the lock's file: listing all locks then
 * loads no client, and a simulation can patch the platform first.
 */
export function fromParts(named: NamedParts): () => Promise<LockDriver> {
  return async () => (await import("./compose.ts")).composeLock(named);
}
