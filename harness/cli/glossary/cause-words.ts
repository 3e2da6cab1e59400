import type { Cause } from "../../core/verdict.ts";

/** How each cause comes about, in a sentence or two. */
export const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  overrun:
    "A client went on after its lease had ended, and the lock was rightly granted to another. The lock kept its promise; a paused client cannot notice, but a resource that checks fencing tokens can.",
  "double-grant":
    "The lock itself granted one key to two clients, more permits than there are, or the key to a writer and to a reader. Nothing else in the history explains it.",
  "lost-in-failover":
    "A master granted the lock and failed before its replica had received the key. The replica became master without it and granted the lock again. Redis replicates asynchronously, and WAIT narrows this window without closing it.",
  "lost-in-restart":
    "A server restarted without the key, because it keeps nothing on disk or had not yet synced it, and granted the lock again.",
  "clock-jump":
    "A clock stepped, so that a server ended a lease early, or a client took it to last longer than it did.",
  "clock-rate": "A server's clock ran faster than the client's, so that the key expired before the client expected it.",
  "foreign-release":
    "A client deleted, shortened or extended a lock that was another's by then: the lock did not compare the owner value, or did not compare and act in one step.",
  "expired-grant":
    "The grant took so long that its lease was over when the client received it. A client must subtract the elapsed time, and give up what is over; a lock that tries several times must count it from the try that succeeded. If the library states no validity, its driver must not compute one for it: with `validForMs: ttlMs` and `validFromMs`, a late grant counts as a client that outlived its lease.",
  "token-rollback":
    "The counter of fencing tokens was lost or reset, so that a later grant got a fencing token that is not larger.",
  "token-overtaken":
    "The fencing token was drawn before the lock was taken, or after it was lost, so that fencing tokens do not grow in the order of the holds.",
  "stale-accepted": "The resource accepted a write with an older fencing token than one it had accepted before.",
  "rightful-write-refused": "The resource refused a write of the only client that held the lock.",
  eviction: "The server evicted the key because its memory was full, and granted the lock again.",
  "never-freed":
    "The key stayed although nobody held the lock: a holder died and the key has no expiry, or a waiting client was not told that it became free.",
  "lost-early": "A holder lost its lock within its lease and no fault or release in the history explains it.",
  "rounded-lease":
    "The lock ended a lease less than a millisecond before the time that it had promised, and granted it again: who counts leases in whole milliseconds must promise a millisecond less, or allow for drift, as Redlock does.",
  "refused-while-free": "The lock refused a client although nobody held it and no lease was in force.",
  "left-behind": "An acquisition of several keys failed, or was released, and one of its keys stayed taken.",
  overtaken:
    "The lock told a client that it stands in the queue, and then granted the lock to a client that had asked later.",
  contradiction: "No order of the operations makes the answers of the lock true together.",
  "lost-write": "The resource acknowledged a write and does not have it.",
  "effect-after-failure": "The resource reported a write as failed and applied it all the same.",
  "stale-read": "A client wrote on the basis of a state that was no longer the last one.",
};
