import type { AsyncLocalStorage } from "node:async_hooks";
import { real } from "../platform/real.ts";
import type { Host } from "./host.ts";
import type { RunEnd } from "./stepper.ts";
import { ProcessFailures } from "./process-failures.ts";
import { heartbeat } from "../../client/heartbeat.ts";
import { current } from "./current-context.ts";
import { OwnGlobals } from "./own-globals.ts";

/** The parts of a kernel that the drive needs. */
export interface Driven {
  /** Does one piece of work, and says whether the run is over. */
  slot(): RunEnd | undefined;
  /** The host whose step is in progress, if any. */
  stepping(): Host | null;
  interrupted(): boolean;
  /** See `CurrentContext.descent`. */
  readonly descent: AsyncLocalStorage<Host> | null;
}

/** Pieces of work in one turn of the real event loop. */
const SLOTS_PER_TURN = 64;

/**
 * Turns real immediates into the simulation's steps. Node drains ticks and microtasks after each immediate's callback,
 * which is exactly what must happen between two pieces of work, and no private interface is needed. A turn queues
 * several immediates at once, because they then share one turn of the real event loop.
 *
 * The last immediate of a turn clears the current context: code of the real world that runs between two turns (a test
 * runner's messages, say) sees the real platform, even in the middle of a step.
 */
export class Drive {
  readonly #driven: Driven;
  readonly #failures: ProcessFailures;
  #finish: ((end: RunEnd) => void) | null = null;
  #fail: ((error: unknown) => void) | null = null;

  constructor(driven: Driven) {
    this.#driven = driven;
    this.#failures = new ProcessFailures((error) => this.#break(error));
  }

  run(): Promise<RunEnd> {
    if (current.running) {
      return Promise.reject(new Error("a simulation is running in this process already: await its end first"));
    }
    current.running = true;
    current.descent = this.#driven.descent;
    this.#failures.capture();
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
      this.#queueTurn();
    });
  }

  #queueTurn(): void {
    for (let slot = 0; slot < SLOTS_PER_TURN; slot += 1) real.setImmediate(this.#slot);
    real.setImmediate(this.#endTurn);
  }

  readonly #slot = (): void => {
    if (this.#finish === null) return;
    heartbeat.beat();
    current.busy = true;
    const stepping = this.#driven.stepping();
    current.host = stepping;
    if (stepping !== null) OwnGlobals.enter(stepping.globals);
    try {
      const end = this.#driven.slot();
      if (end !== undefined) this.#over()?.(end);
    } catch (error) {
      this.#break(error);
    }
  };

  readonly #endTurn = (): void => {
    if (this.#finish === null) return;
    heartbeat.rest();
    OwnGlobals.enter(null);
    current.host = null;
    current.busy = false;
    if (this.#driven.interrupted()) this.#over()?.("interrupted");
    else this.#queueTurn();
  };

  #break(error: unknown): void {
    const fail = this.#fail;
    this.#over();
    fail?.(error);
  }

  /** Clears the current context. Returns the function that reports the end, unless it was already called. */
  #over(): ((end: RunEnd) => void) | null {
    const finish = this.#finish;
    if (finish === null) return null;
    this.#finish = null;
    this.#fail = null;
    heartbeat.rest();
    OwnGlobals.enter(null);
    current.host = null;
    current.busy = false;
    current.running = false;
    current.descent = null;
    this.#failures.release();
    return finish;
  }
}
