import type { Announcement } from "./announcements.ts";
import { TIMEOUTS } from "./connection-options.ts";
import { Subscriber } from "./subscriber.ts";
import { pause, type WaitStrategy } from "./waiting.ts";

/** A waiter polls at least this often, even if it hears nothing: a dead connection is silent. */
const POLL_MS = 5_000;
/** How long a subscription outlives its last waiter: a lock that many want is soon waited for again. */
const LINGER_MS = 1_000;
/** The longest pause between two tries of a waiter that keeps losing: about what a lock that polls would wait. */
const LONGEST_PAUSE_MS = 16;

/**
 * Sleeps until the lock is announced free, or until the holder's lease must have ended. No announcement is missed:
 * after the subscription is confirmed the lock is tried once more, and an announcement during a try counts for the next
 * sleep.
 *
 * Every waiter hears every announcement, and all but one try in vain. Where a lock is freed many times a millisecond,
 * those tries would be most of the server's work. So a waiter that keeps losing pauses between its tries, at first for
 * 1 ms. A hold that lasts longer than the pause delays nobody.
 */
export function wakeUps(announcement: Announcement): WaitStrategy {
  return async ([target]) => {
    if (target === undefined) throw new Error("waiting for announcements needs a server");
    const subscriber = new Subscriber(target, TIMEOUTS, { lingerMs: LINGER_MS });
    return {
      async wait(key, { waitMs, signal }, attempt) {
        const deadlineMs = performance.now() + waitMs;
        const channel = announcement.channel(key);
        if (waitMs <= 0 || !subscriber.hears(channel)) {
          const first = await attempt();
          if (first.type !== "fail" || waitMs <= 0 || signal.aborted) return first;
        }
        using listening = subscriber.listen(channel, (message) => announcement.means(message));
        for (let wakeUp = 0; ; wakeUp += 1) {
          const seen = listening.count;
          const triedAtMs = performance.now();
          const outcome = await attempt();
          const leftMs = deadlineMs - performance.now();
          if (outcome.type !== "fail" || leftMs <= 0 || signal.aborted) return outcome;
          const heldForMs = outcome.heldForMs ?? (outcome.kind === "error" ? TIMEOUTS.commandMs : POLL_MS);
          await listening.movedFrom(seen, Math.min(leftMs, heldForMs + 1, POLL_MS), signal);
          const restMs = triedAtMs + pauseMs(wakeUp) - performance.now();
          if (restMs > 0 && !(await pause(Math.min(restMs, deadlineMs - performance.now()), signal))) return outcome;
        }
      },
      [Symbol.asyncDispose]: () => subscriber[Symbol.asyncDispose](),
    };
  };
}

/**
 * The least time between a waiter's tries, with jitter. The first wake-up is usually the confirmed subscription, and the
 * second the first announcement: these are answered at once.
 */
function pauseMs(wakeUp: number): number {
  if (wakeUp < 2) return 0;
  return Math.min(LONGEST_PAUSE_MS, 2 ** (wakeUp - 2)) * (0.5 + Math.random() / 2);
}
