import type { Announcement } from "./announcements.ts";
import { TIMEOUTS } from "./connection-options.ts";
import { Subscriber } from "./subscriber.ts";
import type { WaitStrategy } from "./waiting.ts";

/** A waiter polls at least this often, even if it hears nothing: a dead connection is silent. */
const POLL_MS = 5_000;

/**
 * Sleeps until the lock is announced free, or until the holder's lease must have ended. No announcement is missed:
 * after the subscription is confirmed the lock is tried once more, and an announcement during a try counts for the next
 * sleep.
 */
export function wakeUps(announcement: Announcement): WaitStrategy {
  return async ([target]) => {
    if (target === undefined) throw new Error("waiting for announcements needs a server");
    const subscriber = new Subscriber(target, TIMEOUTS);
    return {
      async wait(key, { waitMs, signal }, attempt) {
        const deadlineMs = performance.now() + waitMs;
        const first = await attempt();
        if (first.type !== "fail" || waitMs <= 0 || signal.aborted) return first;
        using listening = subscriber.listen(announcement.channel(key), (message) => announcement.means(message));
        for (;;) {
          const seen = listening.count;
          const outcome = await attempt();
          const leftMs = deadlineMs - performance.now();
          if (outcome.type !== "fail" || leftMs <= 0 || signal.aborted) return outcome;
          const heldForMs = outcome.heldForMs ?? (outcome.kind === "error" ? TIMEOUTS.commandMs : POLL_MS);
          await listening.movedFrom(seen, Math.min(leftMs, heldForMs + 1, POLL_MS), signal);
        }
      },
      [Symbol.asyncDispose]: () => subscriber[Symbol.asyncDispose](),
    };
  };
}
