import type { AsyncLocalStorage } from "node:async_hooks";
import { real } from "../platform/real.ts";
import type { Host } from "./host.ts";
import type { RunEnd } from "./stepper.ts";
import { ProcessFailures } from "./process-failures.ts";
import { stage } from "./stage.ts";

/** What the drive needs of a kernel. */
export interface Driven {
  /** Does one piece of work; says when the run is over. */
  slot(): RunEnd | undefined;
  /** The host whose step is under way, if one is. */
  stepping(): Host | null;
  interrupted(): boolean;
  /** See `Stage.descent`. */
  readonly descent: AsyncLocalStorage<Host> | null;
}

/** Pieces of work in one turn of the real event loop. */
const SLOTS_PER_TURN = 64;

/**
 * Turns real immediates into the simulation's steps. Node drains ticks and microtasks after each immediate's callback,
 * which is exactly what must happen between two pieces of work, and it does so without a private interface. A turn
 * queues several immediates at once, because they then share one turn of the real event loop.
 *
 * The last immediate of a turn takes the simulation off the stage: what the real world does between two turns (a test
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
    if (stage.taken) {
      return Promise.reject(new Error("a simulation is running in this process already: await its end first"));
    }
    stage.taken = true;
    stage.descent = this.#driven.descent;
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
    stage.busy = true;
    stage.host = this.#driven.stepping();
    try {
      const end = this.#driven.slot();
      if (end !== undefined) this.#over()?.(end);
    } catch (error) {
      this.#break(error);
    }
  };

  readonly #endTurn = (): void => {
    if (this.#finish === null) return;
    stage.host = null;
    stage.busy = false;
    if (this.#driven.interrupted()) this.#over()?.("interrupted");
    else this.#queueTurn();
  };

  #break(error: unknown): void {
    const fail = this.#fail;
    this.#over();
    fail?.(error);
  }

  /** Leaves the stage. Returns what reports the end, unless that was done before. */
  #over(): ((end: RunEnd) => void) | null {
    const finish = this.#finish;
    if (finish === null) return null;
    this.#finish = null;
    this.#fail = null;
    stage.host = null;
    stage.busy = false;
    stage.taken = false;
    stage.descent = null;
    this.#failures.release();
    return finish;
  }
}
