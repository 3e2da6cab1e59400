import { fencedLease, specimen } from "./specimen.ts";
import { TIMEOUTS } from "../parts/connection-options.ts";
import { notifyingKey } from "../parts/notifying-key.ts";
import { releaseMessage } from "../parts/announcements.ts";
import type { Target } from "../parts/connection-options.ts";
import type { WaitStrategy } from "../parts/waiting.ts";
import type { Subscriber } from "../parts/subscriber.ts";

/**
 * Subscribes after a failed try and goes to sleep: it misses the announcement of a release in between, and an expiry is
 * never announced.
 */
function untilMessage(subscribe: (target: Target) => Subscriber): WaitStrategy {
  return async ([target]) => {
    if (target === undefined) throw new Error("waiting for announcements needs a server");
    const subscriber = subscribe(target);
    return {
      async wait(key, { waitMs, signal }, attempt) {
        const deadlineMs = performance.now() + waitMs;
        for (;;) {
          const outcome = await attempt();
          const leftMs = deadlineMs - performance.now();
          if (outcome.type !== "fail" || leftMs <= 0 || signal.aborted) return outcome;
          using listening = subscriber.listen(releaseMessage.channel(key), (message) => message === "free");
          // Waits first for the confirmation of the subscription, then for a message; it does not try without an
          // announcement.
          await listening.movedFrom(0, leftMs, signal);
          await listening.movedFrom(1, deadlineMs - performance.now(), signal);
          if (listening.count < 2) return outcome;
        }
      },
      [Symbol.asyncDispose]: () => subscriber[Symbol.asyncDispose](),
    };
  };
}

export const lostWakeup = specimen(fencedLease, {
  name: "lost-wakeup",
  flaw: "waits without trying once more after its subscription is confirmed",
  shows: { property: "deadlock-freedom", under: ["latency"], cause: "never-freed", source: "lost-wakeup" },
  load: async () => {
    const [{ composeLock }, { Subscriber }] = await Promise.all([
      import("../parts/compose.ts"),
      import("../parts/subscriber.ts"),
    ]);
    const waiting = untilMessage((target) => new Subscriber(target, TIMEOUTS));
    return composeLock({ protocol: notifyingKey, waiting });
  },
});
