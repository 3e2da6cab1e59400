import type { LockEntry } from "../lock-entry.ts";
import { fair } from "./fair.ts";
import { fenced } from "./fenced.ts";
import { getDel } from "./get-del.ts";
import { ownerValueFixed } from "./owner-value-fixed.ts";
import { redlock } from "./redlock.ts";
import { redlockDelayedRestart } from "./redlock-delayed-restart.ts";
import { redlockFsync } from "./redlock-fsync.ts";
import { reentrant } from "./reentrant.ts";
import { reentrantNaive } from "./reentrant-naive.ts";
import { reference } from "./reference.ts";
import { readWrite } from "./read-write.ts";
import { replicated } from "./replicated.ts";
import { semaphore } from "./semaphore.ts";
import { severalKeys } from "./several-keys.ts";
import { setPx } from "./set-px.ts";
import { setnx } from "./setnx.ts";
import { setnxExpire } from "./setnx-expire.ts";
import { single } from "./single.ts";
import { watchdog } from "./watchdog.ts";
import { watchdogCheckAtUnlock } from "./watchdog-check-at-unlock.ts";

/** The rungs of the ladder. Each rung names the flaw that the next one fixes. */
export const ladder: readonly LockEntry[] = [
  setnx,
  setnxExpire,
  setPx,
  getDel,
  ownerValueFixed,
  single,
  watchdog,
  watchdogCheckAtUnlock,
  reentrant,
  reentrantNaive,
  fenced,
  reference,
  replicated,
  redlock,
  redlockDelayedRestart,
  redlockFsync,
  semaphore,
  readWrite,
  severalKeys,
  fair,
];
