import { composeLock } from "../compose.ts";
import { PATIENCE } from "../connection-options.ts";
import { notifyingKey } from "../notifying-key.ts";
import { Subscriber } from "../subscriber.ts";
import type { WaitStrategy } from "../waiting.ts";
import { releaseMessage } from "../wake-ups.ts";

/**
 * Subscribes after a failed try and goes to sleep: a lock that was freed in between is announced to nobody, and one that
 * expires is never announced.
 */
const sleepSoundly: WaitStrategy = async ([target]) => {
  if (target === undefined) throw new Error("waiting for announcements needs a server");
  const subscriber = new Subscriber(target, PATIENCE);
  return {
    async wait(key, { waitMs, signal }, attempt) {
      const deadlineMs = performance.now() + waitMs;
      for (;;) {
        const outcome = await attempt();
        const leftMs = deadlineMs - performance.now();
        if (outcome.type !== "fail" || leftMs <= 0 || signal.aborted) return outcome;
        using listening = subscriber.listen(releaseMessage.channel(key), (message) => message === "free");
        // First the confirmation of the subscription, then a message; what is not announced is not tried.
        await listening.movedFrom(0, leftMs, signal);
        await listening.movedFrom(1, deadlineMs - performance.now(), signal);
        if (listening.count < 2) return outcome;
      }
    },
    [Symbol.asyncDispose]: () => subscriber[Symbol.asyncDispose](),
  };
};

export const driver = composeLock({ protocol: notifyingKey, waiting: sleepSoundly });
