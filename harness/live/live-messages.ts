import type { MessageSource } from "../core/system.ts";
import type { MessageMoment, MessageTrigger } from "../core/trigger.ts";
import type { WireTap } from "../simulated/wire/wire-tap.ts";

/** What a client is about to send cannot be seen: it is a process of its own. */
export const LIVE_MOMENTS: readonly MessageMoment[] = ["before", "after", "reply"];

/** The commands between client processes and simulated servers. */
export class LiveMessages implements MessageSource {
  readonly moments = LIVE_MOMENTS;
  readonly #tap: WireTap;

  constructor(tap: WireTap) {
    this.#tap = tap;
  }

  watch(triggers: readonly MessageTrigger[], reached: (index: number) => Promise<void>): Promise<void> {
    return this.#tap.watch(triggers, (index) => Promise.resolve().then(() => reached(index)));
  }
}
