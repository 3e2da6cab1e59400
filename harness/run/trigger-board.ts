import type { TrueClock } from "../core/system.ts";
import { type EventTrigger, isAnchorOf, type MessageTrigger, type Trigger } from "../core/trigger.ts";

/** An event that triggers can wait for, or the command of a trigger that waits for a command. */
export type Happening = Occurrence | { readonly message: MessageTrigger };

interface Occurrence {
  /** `acquire:ok`; see `isAnchorOf`. */
  readonly kind: string;
  readonly client?: number;
  readonly fault?: number;
}

interface Waiting {
  readonly trigger: EventTrigger | MessageTrigger;
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
 * Fires a plan's triggers from the events and messages of a run.
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
    else if (!("atMs" in trigger)) this.#register(trigger, run, reject);
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
      if (waiting.seen === countOf(waiting.trigger)) due.push(waiting);
    }
    for (const waiting of due) this.#waiting.delete(waiting);
    await Promise.all(due.map((waiting) => waiting.fire(atNs)));
  }

  #register(trigger: EventTrigger | MessageTrigger, run: () => Promise<void>, reject: (reason: unknown) => void): void {
    const { afterMs = 0 } = trigger;
    const fire = (atNs: number): Promise<void> => {
      const leftMs = afterMs - (this.#clock.now() - atNs) / 1e6;
      if (leftMs <= 0) return run();
      void this.#clock.sleep(leftMs, this.#signal).then(run, reject);
      return Promise.resolve();
    };
    const past = this.#past.filter(({ happening }) => matches(trigger, happening));
    const due = past[countOf(trigger) - 1];
    if (due !== undefined) {
      void fire(due.atNs);
      return;
    }
    this.#waiting.add({ trigger, seen: past.length, fire, giveUp: () => reject(this.#signal.reason) });
  }
}

/** Commands are counted where they are: the board hears of the k-th only. */
function countOf(trigger: EventTrigger | MessageTrigger): number {
  return "moment" in trigger ? 1 : (trigger.count ?? 1);
}

function matches(trigger: EventTrigger | MessageTrigger, happening: Happening): boolean {
  if ("moment" in trigger) return "message" in happening && sameMessage(trigger, happening.message);
  return (
    "kind" in happening &&
    isAnchorOf(trigger.on, happening.kind) &&
    (trigger.client === undefined || trigger.client === happening.client) &&
    (trigger.fault === undefined || trigger.fault === happening.fault)
  );
}

/** True when two triggers wait for the same command at the same moment, with the same delay. */
export function sameMessage(one: MessageTrigger, other: MessageTrigger): boolean {
  return (
    one.moment === other.moment &&
    one.command === other.command &&
    one.key === other.key &&
    one.client === other.client &&
    one.server === other.server &&
    (one.count ?? 1) === (other.count ?? 1) &&
    (one.afterMs ?? 0) === (other.afterMs ?? 0)
  );
}
