import type { LockDriver } from "../../../harness/core/lock-driver.ts";
import type { QueueProtocol } from "./queue-protocol.ts";

/** How a lock with a queue is loaded: the call imports the Redis client, not the lock's file (`fromParts`). */
export function fromQueue(protocol: QueueProtocol): () => Promise<LockDriver> {
  return async () => (await import("./queued-lock.ts")).queueLock(protocol);
}
