import type { LockEntry } from "../lock-entry.ts";
import { driftIgnored } from "./drift-ignored.ts";
import { expiredByTimestamp } from "./expired-by-timestamp.ts";
import { extendCountsFromReply } from "./extend-counts-from-reply.ts";
import { extendGetThenPexpire } from "./extend-get-then-pexpire.ts";
import { extendRecreates } from "./extend-recreates.ts";
import { extendSetXx } from "./extend-set-xx.ts";
import { extendUnawaited } from "./extend-unawaited.ts";
import { extendUnchecked } from "./extend-unchecked.ts";
import { fairBarging } from "./fair-barging.ts";
import { fairStack } from "./fair-stack.ts";
import { fenceBeforeWin } from "./fence-before-win.ts";
import { fenceBlock } from "./fence-block.ts";
import { fenceDeleted } from "./fence-deleted.ts";
import { fenceExpires } from "./fence-expires.ts";
import { fenceKeptOverRetries } from "./fence-kept-over-retries.ts";
import { fenceMaxOfIncr } from "./fence-max-of-incr.ts";
import { fenceOnRelease } from "./fence-on-release.ts";
import { fenceReread } from "./fence-reread.ts";
import { fenceSecondCommand } from "./fence-second-command.ts";
import { fenceWallClock } from "./fence-wall-clock.ts";
import { getThenSet } from "./get-then-set.ts";
import { handoffSameFence } from "./handoff-same-fence.ts";
import { lostWakeup } from "./lost-wakeup.ts";
import { noElapsedCheck } from "./no-elapsed-check.ts";
import { ownerValueInField } from "./owner-value-in-field.ts";
import { permitReturnedTwice } from "./permit-returned-twice.ts";
import { quorumOfTwo } from "./quorum-of-two.ts";
import { readFromReplica } from "./read-from-replica.ts";
import { readerChecksFirst } from "./reader-checks-first.ts";
import { reentryByMemory } from "./reentry-by-memory.ts";
import { readersFirstLease } from "./readers-first-lease.ts";
import { readersUnknown } from "./readers-unknown.ts";
import { reentryKeepsLease } from "./reentry-keeps-lease.ts";
import { refusedTryProlongs } from "./refused-try-prolongs.ts";
import { releaseByClock } from "./release-by-clock.ts";
import { releaseRetried } from "./release-retried.ts";
import { renewalLateStart } from "./renewal-late-start.ts";
import { renewalOutlivesUnlock } from "./renewal-outlives-unlock.ts";
import { semaphoreCheckThenAdd } from "./semaphore-check-then-add.ts";
import { semaphoreCounter } from "./semaphore-counter.ts";
import { semaphoreRank } from "./semaphore-rank.ts";
import { severalFirstReleased } from "./several-first-released.ts";
import { severalOneByOne } from "./several-one-by-one.ts";
import { severalUndoAll } from "./several-undo-all.ts";
import { timeoutIsFailure } from "./timeout-is-failure.ts";
import { timeoutIsSuccess } from "./timeout-is-success.ts";
import { ttlInSeconds } from "./ttl-in-seconds.ts";
import { validityAfterReplies } from "./validity-after-replies.ts";
import { waiterOverwritten } from "./waiter-overwritten.ts";
import { wallClockLease } from "./wall-clock-lease.ts";
import { watchdogAggressive } from "./watchdog-aggressive.ts";
import { watchdogSilent } from "./watchdog-silent.ts";

/** Locks with one deliberate bug each, of kinds seen in the wild. The harness must catch every one. */
export const specimens: readonly LockEntry[] = [
  getThenSet,
  expiredByTimestamp,
  releaseByClock,
  releaseRetried,
  ttlInSeconds,
  refusedTryProlongs,
  timeoutIsSuccess,
  timeoutIsFailure,
  extendRecreates,
  extendSetXx,
  extendUnchecked,
  extendGetThenPexpire,
  extendUnawaited,
  extendCountsFromReply,
  reentryByMemory,
  reentryKeepsLease,
  watchdogAggressive,
  watchdogSilent,
  renewalOutlivesUnlock,
  renewalLateStart,
  lostWakeup,
  fenceBeforeWin,
  fenceReread,
  fenceSecondCommand,
  fenceKeptOverRetries,
  fenceBlock,
  fenceOnRelease,
  fenceExpires,
  fenceDeleted,
  handoffSameFence,
  fenceWallClock,
  readFromReplica,
  quorumOfTwo,
  noElapsedCheck,
  validityAfterReplies,
  driftIgnored,
  wallClockLease,
  fenceMaxOfIncr,
  semaphoreRank,
  semaphoreCounter,
  semaphoreCheckThenAdd,
  permitReturnedTwice,
  readersFirstLease,
  readersUnknown,
  readerChecksFirst,
  severalOneByOne,
  severalFirstReleased,
  severalUndoAll,
  fairBarging,
  fairStack,
  ownerValueInField,
  waiterOverwritten,
];
