import { alternatives } from "./alternatives/alternatives.ts";
import { ladder } from "./ladder/ladder.ts";
import { libraries } from "./libraries/libraries.ts";
import type { LockEntry } from "./lock-entry.ts";
import { specimens } from "./flawed/specimens.ts";

export type { LockEntry };

/** Every named lock: the ladder in its order, its alternatives, the flawed specimens, libraries from npm. */
export const locks: readonly LockEntry[] = [...ladder, ...alternatives, ...specimens, ...libraries];

/** The registered lock of that name. */
export function findLock(name: string): LockEntry | undefined {
  return locks.find((lock) => lock.name === name);
}
