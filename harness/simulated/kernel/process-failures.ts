import { stage } from "./stage.ts";

const EVENTS = ["uncaughtException", "unhandledRejection"] as const;
type FailureEvent = (typeof EVENTS)[number];
type Listener = (...args: unknown[]) => void;

/**
 * While a simulation runs, an exception or a rejection that nobody caught is a failure of the host on stage, not of
 * this process: the listeners of the process are put aside, and get only what happens while no host is on stage.
 */
export class ProcessFailures {
  readonly #onOwnFailure: (error: unknown) => void;
  readonly #aside = new Map<FailureEvent, Listener[]>();

  /** @param onOwnFailure called for what the simulation itself threw */
  constructor(onOwnFailure: (error: unknown) => void) {
    this.#onOwnFailure = onOwnFailure;
  }

  capture(): void {
    for (const event of EVENTS) {
      this.#aside.set(event, process.rawListeners(event) as Listener[]);
      process.removeAllListeners(event);
      process.on(event, this.#handlers[event]);
    }
  }

  release(): void {
    for (const event of EVENTS) {
      process.removeListener(event, this.#handlers[event]);
      for (const listener of this.#aside.get(event) ?? []) process.on(event, listener);
    }
    this.#aside.clear();
  }

  readonly #handlers: Record<FailureEvent, Listener> = {
    uncaughtException: (...args) => this.#caught("uncaughtException", args),
    unhandledRejection: (...args) => this.#caught("unhandledRejection", args),
  };

  #caught(event: FailureEvent, args: unknown[]): void {
    if (stage.host !== null) stage.host.fail(event, args[0]);
    else if (stage.busy) this.#onOwnFailure(args[0]);
    else {
      const listeners = this.#aside.get(event) ?? [];
      if (listeners.length === 0) throw args[0];
      for (const listener of listeners) Reflect.apply(listener, process, args);
    }
  }
}
