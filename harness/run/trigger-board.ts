import type { TrueClock } from "../core/system.ts";
import { isEventTrigger, type Anchor, type EventTrigger, type Trigger } from "../core/trigger.ts";

/** An event that triggers can wait for. */
export interface Happening {
  readonly anchor: Anchor;
  readonly client?: number;
  readonly fault?: number;
}

interface Waiting {
  readonly trigger: EventTrigger;
  seen: number;
  /** @param atNs when the event happened */
  readonly fire: (atNs: number) => Promise<void>;
  readonly giveUp: () => void;
}

interface Past {
  readonly happening: Happening;
  readonly atNs: number;
}

/**
 * Fires a plan's triggers from the events of a run.
 *
 * A trigger whose event has already happened fires at once; a delay always counts from the event. `publish` awaits an
 * action that waits for an event without a delay, so that the publisher (a client between two steps) continues only
 * when the action is done: a fault "on the k-th grant" is in force before the holder does anything. Actions of one
 * event run in the order of registration, together. A trigger that never fires does nothing.
 */
export class TriggerBoard {
  readonly #clock: TrueClock;
  readonly #signal: AbortSignal;
  readonly #past: Past[] = [];
  readonly #waiting = new Set<Waiting>();

  /** @param signal ends all waiting: the run is over */
  constructor(clock: TrueClock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    const giveUp = (): void => {
      for (const waiting of this.#waiting) waiting.giveUp();
      this.#waiting.clear();
    };
    signal.addEventListener("abort", giveUp, { once: true });
  }

  /**
   * Runs `action` when the trigger fires. Resolves when the action is done; rejects as the action does, and with the
   * signal's reason when the run ends first.
   */
  when(trigger: Trigger, action: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run = (): Promise<void> => action().then(resolve, reject);
    if (this.#signal.aborted) reject(this.#signal.reason);
    else if (isEventTrigger(trigger)) this.#register(trigger, run, reject);
    else void this.#clock.sleep(Math.max(0, trigger.atMs - this.#clock.now() / 1e6), this.#signal).then(run, reject);
    return promise;
  }

  /** Resolves when the trigger fires. */
  wait(trigger: Trigger): Promise<void> {
    return this.when(trigger, () => Promise.resolve());
  }

  /** Reports an event; resolves when every action that waits for it without a delay is done. */
  async publish(happening: Happening): Promise<void> {
    const atNs = this.#clock.now();
    this.#past.push({ happening, atNs });
    const due: Waiting[] = [];
    for (const waiting of this.#waiting) {
      if (!matches(waiting.trigger, happening)) continue;
      waiting.seen += 1;
      if (waiting.seen === (waiting.trigger.count ?? 1)) due.push(waiting);
    }
    for (const waiting of due) this.#waiting.delete(waiting);
    await Promise.all(due.map((waiting) => waiting.fire(atNs)));
  }

  #register(trigger: EventTrigger, run: () => Promise<void>, reject: (reason: unknown) => void): void {
    const { count = 1, afterMs = 0 } = trigger;
    const fire = (atNs: number): Promise<void> => {
      const leftMs = afterMs - (this.#clock.now() - atNs) / 1e6;
      if (leftMs <= 0) return run();
      void this.#clock.sleep(leftMs, this.#signal).then(run, reject);
      return Promise.resolve();
    };
    const past = this.#past.filter(({ happening }) => matches(trigger, happening));
    const due = past[count - 1];
    if (due !== undefined) {
      void fire(due.atNs);
      return;
    }
    this.#waiting.add({ trigger, seen: past.length, fire, giveUp: () => reject(this.#signal.reason) });
  }
}

function matches(trigger: EventTrigger, happening: Happening): boolean {
  return (
    trigger.on === happening.anchor &&
    (trigger.client === undefined || trigger.client === happening.client) &&
    (trigger.fault === undefined || trigger.fault === happening.fault)
  );
}
