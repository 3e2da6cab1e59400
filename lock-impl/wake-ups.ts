import { PATIENCE } from "./connection-options.ts";
import { siblingKey } from "./keys.ts";
import { Subscriber } from "./subscriber.ts";
import type { WaitStrategy } from "./waiting.ts";

/** A waiter asks again at least so often, whatever it hears: a dead connection is silent. */
const POLL_MS = 5_000;

/** Where a lock tells that it is free. */
export interface Announcement {
  channel(key: string): string;
  /** Whether a message on the channel tells that the lock may be free. */
  means(message: string): boolean;
}

/** The message that the releasing script publishes. */
export const releaseMessage: Announcement = {
  channel: (key) => siblingKey(key, "freed"),
  means: () => true,
};

/**
 * Keyspace notifications: the server itself tells of every deletion and expiry, whoever caused it. The server must be
 * configured with `notify-keyspace-events Kgx`, and it must be database 0 of one server.
 */
export const keyspaceNotification: Announcement = {
  channel: (key) => `__keyspace@0__:${key}`,
  means: (event) => event === "del" || event === "expired" || event === "evicted",
};

/**
 * Sleeps until the lock is announced free, or until the holder's lease must be over. No announcement is missed: after the
 * subscription is confirmed the lock is tried once more, and what is announced during a try counts for the next.
 */
export function wakeUps(announcement: Announcement): WaitStrategy {
  return async ([target]) => {
    if (target === undefined) throw new Error("waiting for announcements needs a server");
    const subscriber = new Subscriber(target, PATIENCE);
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
          const heldForMs = outcome.heldForMs ?? (outcome.kind === "error" ? PATIENCE.commandMs : POLL_MS);
          await listening.movedFrom(seen, Math.min(leftMs, heldForMs + 1, POLL_MS), signal);
        }
      },
      [Symbol.asyncDispose]: () => subscriber[Symbol.asyncDispose](),
    };
  };
}
