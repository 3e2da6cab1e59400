import type { ScheduledEvent } from "../kernel/event-queue.ts";
import type { Host } from "../kernel/host.ts";
import type { StepTask } from "../kernel/step-work.ts";
import { inCallersContext } from "./async-context.ts";

type Callback = (...args: unknown[]) => void;

const LONGEST_MS = 2 ** 31 - 1;

/** What `setTimeout` and `setInterval` return in a host. It follows the host's monotonic clock. */
export class SimulatedTimeout implements Disposable {
  readonly #host: Host;
  readonly #callback: () => void;
  readonly #delayUs: number;
  readonly #repeats: boolean;
  #event: ScheduledEvent | null;
  #cleared = false;
  #referenced = true;
  #number = 0;

  /** @param delayMs as Node takes it: less than 1, too long or not a number means 1; fractions are cut off */
  constructor(host: Host, callback: Callback, delayMs: unknown, args: unknown[], repeats: boolean) {
    this.#host = host;
    this.#callback = inCallersContext(() => Reflect.apply(callback, this, args));
    this.#repeats = repeats;
    const ms = Number(delayMs);
    this.#delayUs = (ms >= 1 && ms <= LONGEST_MS ? Math.trunc(ms) : 1) * 1000;
    this.#event = this.#arm();
  }

  ref(): this {
    this.#referenced = true;
    if (this.#event !== null) this.#event.keepsAlive = true;
    return this;
  }

  unref(): this {
    this.#referenced = false;
    if (this.#event !== null) this.#event.keepsAlive = false;
    return this;
  }

  hasRef(): boolean {
    return this.#referenced;
  }

  /** Restarts it, even after it has fired; not after it was cleared. */
  refresh(): this {
    if (this.#cleared) return this;
    this.#event?.cancel();
    this.#event = this.#arm();
    return this;
  }

  close(): this {
    this.#cleared = true;
    this.#event?.cancel();
    this.#event = null;
    this.#host.numberedTimers.delete(this.#number);
    return this;
  }

  [Symbol.toPrimitive](): number {
    if (this.#number === 0) this.#number = this.#host.nextTimerNumber++;
    if (!this.#cleared) this.#host.numberedTimers.set(this.#number, this);
    return this.#number;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #arm(): ScheduledEvent {
    const event = this.#host.timer(this.#delayUs, "timer", () => this.#fire());
    event.keepsAlive = this.#referenced;
    return event;
  }

  #fire(): void {
    this.#event = null;
    try {
      this.#callback();
    } finally {
      if (this.#event === null && this.#repeats && !this.#cleared) this.#event = this.#arm();
    }
  }
}

/** What `setImmediate` returns in a host. It runs within the host's step. */
export class SimulatedImmediate implements Disposable {
  readonly #task: StepTask;
  #referenced = true;

  constructor(host: Host, callback: Callback, args: unknown[]) {
    this.#task = host.work.addImmediate(inCallersContext(() => callback(...args)));
  }

  ref(): this {
    this.#referenced = true;
    return this;
  }

  unref(): this {
    this.#referenced = false;
    return this;
  }

  hasRef(): boolean {
    return this.#referenced;
  }

  clear(): void {
    this.#task.cancelled = true;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
