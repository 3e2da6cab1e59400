import { alternatives } from "./alternatives.ts";
import { ladder } from "./ladder.ts";
import { libraries } from "./libraries.ts";
import type { LockEntry } from "./lock-entry.ts";
import { specimens } from "./specimens.ts";

export type { LockEntry };

/** Every lock that has a name: the ladder in its order, its alternatives, the flawed specimens, libraries from npm. */
export const locks: readonly LockEntry[] = [...ladder, ...alternatives, ...specimens, ...libraries];

/** The registered lock of that name. */
export function findLock(name: string): LockEntry | undefined {
  return locks.find((lock) => lock.name === name);
}
