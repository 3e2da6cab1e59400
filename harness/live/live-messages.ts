import type { MessageSource } from "../core/system.ts";
import type { MessageMoment, MessageTrigger } from "../core/trigger.ts";
import type { ObservedWire } from "../core/messages/observed-wire.ts";
import { wireMessages } from "../simulated/wire/exchange.ts";
import type { ServerWatch } from "../simulated/wire/server-watch.ts";
import type { WireTap } from "../simulated/wire/wire-tap.ts";

/** What a client is about to send cannot be seen: it is a process of its own. */
export const LIVE_MOMENTS: readonly MessageMoment[] = ["before", "after", "reply"];

/** The commands between client processes and simulated servers. */
export class LiveMessages implements MessageSource {
  readonly moments = LIVE_MOMENTS;
  readonly #tap: WireTap;

  readonly #servers: ServerWatch | undefined;

  /** @param servers what the servers held, if it is recorded */
  constructor(tap: WireTap, servers?: ServerWatch) {
    this.#tap = tap;
    this.#servers = servers;
  }

  /** What was seen so far, if it is recorded: nothing of these servers is hidden. */
  get observed(): ObservedWire | undefined {
    if (this.#servers === undefined) return undefined;
    const { keys, replication, votes } = this.#servers;
    const messages = wireMessages(this.#tap.exchanges);
    return { messages, keys: [...keys], replication: [...replication], votes: [...votes], leftOut: 0 };
  }

  watch(triggers: readonly MessageTrigger[], reached: (index: number) => Promise<void>): Promise<void> {
    return this.#tap.watch(triggers, (index) => Promise.resolve().then(() => reached(index)));
  }
}
