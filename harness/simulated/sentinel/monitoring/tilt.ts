import { announcePlain } from "../events.ts";
import type { Sentinel } from "../sentinel.ts";

/**
 * Begins TILT when the timer runs too late or before its last time: then the process was stopped or the clock was set,
 * and every silence looks longer than it was.
 */
export function checkTilt(sentinel: Sentinel): void {
  const sinceMs = sentinel.nowMs - sentinel.tickedAtMs;
  if (sinceMs < 0 || sinceMs > sentinel.timing.tiltTriggerMs) {
    sentinel.isTilting = true;
    sentinel.tiltSinceMs = sentinel.nowMs;
    announcePlain(sentinel, "+tilt", "#tilt mode entered");
  }
  sentinel.tickedAtMs = sentinel.nowMs;
}

/** Ends TILT when its time is over. True while it lasts: until then nothing is judged. */
export function staysTilted(sentinel: Sentinel): boolean {
  if (!sentinel.isTilting) return false;
  if (sentinel.nowMs - sentinel.tiltSinceMs < sentinel.timing.tiltMs) return true;
  sentinel.isTilting = false;
  announcePlain(sentinel, "-tilt", "#tilt mode exited");
  return false;
}
