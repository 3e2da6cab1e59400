import { acknowledgedFailover } from "./catalogue/acknowledged-failover.ts";
import { asyncFailover } from "./catalogue/async-failover.ts";
import { clientClockBack } from "./catalogue/client-clock-back.ts";
import { clockBackward } from "./catalogue/clock-backward.ts";
import { clockForward } from "./catalogue/clock-forward.ts";
import { clockRateSkew } from "./catalogue/clock-rate-skew.ts";
import { crashNoFsync } from "./catalogue/crash-no-fsync.ts";
import { crashNoPersist } from "./catalogue/crash-no-persist.ts";
import { delayedWrite } from "./catalogue/delayed-write.ts";
import { emptyMasterRestart } from "./catalogue/empty-master-restart.ts";
import { errorAsSuccess } from "./catalogue/error-as-success.ts";
import { everysecPowerLoss } from "./catalogue/everysec-power-loss.ts";
import { eviction } from "./catalogue/eviction.ts";
import { extendGetThenPexpire } from "./catalogue/extend-get-then-pexpire.ts";
import { getDelRace } from "./catalogue/get-del-race.ts";
import { lateSetOrphan } from "./catalogue/late-set-orphan.ts";
import { localHandoff } from "./catalogue/local-handoff.ts";
import { lostWakeup } from "./catalogue/lost-wakeup.ts";
import { minReplicasBackwardClock } from "./catalogue/min-replicas-backward-clock.ts";
import { nodeClockJump } from "./catalogue/node-clock-jump.ts";
import { nodeFailoverInsideRedlock } from "./catalogue/node-failover-inside-redlock.ts";
import { ownerValueReuse } from "./catalogue/owner-value-reuse.ts";
import { pauseAfterCheck } from "./catalogue/pause-after-check.ts";
import { badElapsedCheck, pauseDuringAcquire } from "./catalogue/pause-during-acquire.ts";
import { pausePastLease } from "./catalogue/pause-past-lease.ts";
import { plainDel } from "./catalogue/plain-del.ts";
import { promotedSkewedClock } from "./catalogue/promoted-skewed-clock.ts";
import { readFromReplica } from "./catalogue/read-from-replica.ts";
import { redlockNoFence } from "./catalogue/redlock-no-fence.ts";
import { reentryMiscount } from "./catalogue/reentry-miscount.ts";
import { renewRecreates } from "./catalogue/renew-recreates.ts";
import { renewSetXx } from "./catalogue/renew-set-xx.ts";
import { replyLostAcquire } from "./catalogue/reply-lost-acquire.ts";
import { resourceForgetsMax } from "./catalogue/resource-forgets-max.ts";
import { sentinelSplitBrain } from "./catalogue/sentinel-split-brain.ts";
import { setnxExpireCrash } from "./catalogue/setnx-expire-crash.ts";
import { setnxTimestampDel } from "./catalogue/setnx-timestamp-del.ts";
import { staleMasterAfterHeal } from "./catalogue/stale-master-after-heal.ts";
import { tokenRollback } from "./catalogue/token-rollback.ts";
import { watchdogOutlivesUnlock } from "./catalogue/watchdog-outlives-unlock.ts";
import { watchdogSilent } from "./catalogue/watchdog-silent.ts";
import { zombieBeforeFence } from "./catalogue/zombie-before-fence.ts";
import type { Scenario } from "./scenario.ts";

/** The catalogue of counterexamples, in the order of their numbers. */
export const catalogue: readonly Scenario[] = [
  setnxExpireCrash,
  setnxTimestampDel,
  plainDel,
  getDelRace,
  ownerValueReuse,
  pausePastLease,
  delayedWrite,
  zombieBeforeFence,
  extendGetThenPexpire,
  renewSetXx,
  renewRecreates,
  watchdogSilent,
  watchdogOutlivesUnlock,
  replyLostAcquire,
  lateSetOrphan,
  lostWakeup,
  reentryMiscount,
  localHandoff,
  errorAsSuccess,
  clockForward,
  clockBackward,
  crashNoPersist,
  everysecPowerLoss,
  asyncFailover,
  sentinelSplitBrain,
  staleMasterAfterHeal,
  minReplicasBackwardClock,
  promotedSkewedClock,
  readFromReplica,
  emptyMasterRestart,
  tokenRollback,
  resourceForgetsMax,
  nodeClockJump,
  crashNoFsync,
  clientClockBack,
  pauseDuringAcquire,
  badElapsedCheck,
  pauseAfterCheck,
  redlockNoFence,
  nodeFailoverInsideRedlock,
  clockRateSkew,
  eviction,
  acknowledgedFailover,
];
