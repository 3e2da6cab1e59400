import { blamedOnBuiltIns } from "../../client/built-ins.ts";
import { current } from "./current-context.ts";
import type { UncaughtEvent } from "./host.ts";

const EVENTS = ["uncaughtException", "unhandledRejection"] as const satisfies readonly UncaughtEvent[];
type Listener = (...args: unknown[]) => void;

/**
 * While a simulation runs, an uncaught exception or rejection is a failure of the current host, not of this process:
 * the process's own listeners are removed for that time, and receive only failures that happen while no host is
 * running.
 */
export class ProcessFailures {
  readonly #onOwnFailure: (error: unknown) => void;
  readonly #aside = new Map<UncaughtEvent, Listener[]>();

  /** @param onOwnFailure called for errors of the simulation itself */
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

  readonly #handlers: Record<UncaughtEvent, Listener> = {
    uncaughtException: (...args) => this.#caught("uncaughtException", args),
    unhandledRejection: (...args) => this.#caught("unhandledRejection", args),
  };

  #caught(event: UncaughtEvent, args: unknown[]): void {
    try {
      this.#handOn(event, args);
    } catch (error) {
      // A lock may have altered what the kernel itself is made of.
      const blamed = blamedOnBuiltIns(error);
      if (blamed === error) throw error;
      this.#onOwnFailure(blamed);
    }
  }

  #handOn(event: UncaughtEvent, args: unknown[]): void {
    if (current.host !== null) current.host.uncaught(event, args[0], event, args[1]);
    else if (current.busy) this.#onOwnFailure(args[0]);
    else {
      const listeners = this.#aside.get(event) ?? [];
      if (listeners.length === 0) throw args[0];
      for (const listener of listeners) Reflect.apply(listener, process, args);
    }
  }
}
