import type { Claim, StatedClaim } from "../../lock-impl/claims.ts";
import { findLock, type LockEntry } from "../../lock-impl/registry.ts";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { findWorker } from "../external/find-worker.ts";

/** What is known of a lock before it is tried. */
export type LockFacts = Pick<LockEntry, "topologies" | "limits"> & {
  readonly claims?: readonly (Claim | StatedClaim)[] | undefined;
};

/** The facts about a registered lock, or those that a worker file states; undefined of a driver module, which states none. */
export function lockFacts(lock: string): LockFacts | undefined {
  return findLock(lock) ?? libraryWorkers.find(({ name }) => name === lock) ?? findWorker(lock);
}
