import { setImmediate } from "node:timers/promises";
import type { TrueClock } from "../../core/system.ts";

interface Timer {
  readonly atNs: number;
  readonly fire: () => void;
}

/**
 * A clock whose time passes only when a test says so. Timers of one instant fire in the order in which they were set,
 * and everything that waits for one is done before the next fires.
 */
export class VirtualClock implements TrueClock {
  #nowNs = 0;
  /** In the order in which they were set. */
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowNs;
  }

  get nowMs(): number {
    return this.#nowNs / 1e6;
  }

  /** How many sleepers there are. */
  get sleepers(): number {
    return this.#timers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const giveUp = (): void => {
        this.#timers.delete(timer);
        reject(signal?.reason);
      };
      const timer: Timer = {
        atNs: this.#nowNs + Math.round(ms * 1e6),
        fire: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      this.#timers.add(timer);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Lets `ms` pass. */
  async advance(ms: number): Promise<void> {
    const endNs = this.#nowNs + Math.round(ms * 1e6);
    await idle();
    for (let next = this.#next(); next !== undefined && next.atNs <= endNs; next = this.#next()) await this.#fire(next);
    this.#nowNs = endNs;
  }

  /** Lets time pass until `promise` is settled. @throws when it never would be: nobody sleeps any more */
  async settle<T>(promise: Promise<T>): Promise<T> {
    const state = { settled: false };
    const mark = (): void => {
      state.settled = true;
    };
    promise.then(mark, mark);
    await idle();
    while (!state.settled) {
      const next = this.#next();
      if (next === undefined) throw new Error(`at ${this.nowMs} ms everybody waits for somebody else`);
      await this.#fire(next);
    }
    return promise;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#nowNs = timer.atNs;
    timer.fire();
    await idle();
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.atNs < next.atNs) next = timer;
    return next;
  }
}

/** Resolves when everything that can proceed without time passing has done so. */
export async function idle(): Promise<void> {
  await setImmediate();
}
