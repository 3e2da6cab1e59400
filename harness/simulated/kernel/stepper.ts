import { AsyncLocalStorage } from "node:async_hooks";
import { HarnessError, UserError } from "../../core/errors.ts";
import type { Driven } from "./drive.ts";
import type { EventQueue, ScheduledEvent } from "./event-queue.ts";
import type { Host } from "./host.ts";
import type { InputListener } from "./input-listener.ts";
import { SimulationLimitError, SPINNING_HINT, type Limits } from "./limits.ts";
import { current } from "./current-context.ts";
import { OwnGlobals } from "./own-globals.ts";
import type { Trace } from "./trace.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** `idle`: nothing will ever happen again. `time`: the time to stop at was reached. */
export type RunEnd = "done" | "idle" | "time" | "interrupted";

export interface RunOptions {
  /** True time, in microseconds, at which to stop; events of that instant still happen. Default: never. */
  readonly untilUs?: number;
  /** Asked after each step; true stops. */
  readonly done?: () => boolean;
  /** Stops soon after it is aborted in the real world. */
  readonly signal?: AbortSignal;
}

/** After this many world and service events in a row, the real event loop gets a turn. */
const EVENTS_PER_SLOT = 10_000;

/** Takes events out of the queue and executes them, one step after the other. */
export class Stepper implements Driven {
  nowUs = 0;
  /** How many events have run. */
  events = 0;
  options: RunOptions = {};
  readonly descent: AsyncLocalStorage<Host> | null;
  readonly #queue: EventQueue;
  readonly #limits: Limits;
  readonly #trace: Trace;
  readonly #inputs: InputListener | undefined;
  /** The host whose step is in progress. */
  #host: Host | null = null;
  #tasks = 0;
  #abortedWith: Error | null = null;

  constructor(
    queue: EventQueue,
    limits: Limits,
    trace: Trace,
    options: { readonly checkDescent?: boolean; readonly inputs?: InputListener | undefined },
  ) {
    this.#queue = queue;
    this.#limits = limits;
    this.#trace = trace;
    this.#inputs = options.inputs;
    this.descent = options.checkDescent === true ? new AsyncLocalStorage() : null;
  }

  /** Makes the next piece of work fail with `error`. */
  abort(error: Error): void {
    this.#abortedWith ??= error;
  }

  stepping(): Host | null {
    return this.#host;
  }

  interrupted(): boolean {
    return this.options.signal?.aborted === true;
  }

  /** Does the next piece of work: a task of the current step, or events up to the next one of a program. */
  slot(): RunEnd | undefined {
    if (this.#abortedWith !== null) throw this.#abortedWith;
    if (this.#host !== null && this.#continueStep(this.#host)) return undefined;
    this.#host = null;
    current.host = null;
    return this.#advance();
  }

  /** Executes everything up to `untilUs`, and lets it be that time. @throws HarnessError for the step of a program */
  advanceTo(untilUs: number): void {
    this.options = { untilUs };
    let end: RunEnd | undefined;
    while (end === undefined) {
      end = this.slot();
      if (this.#host !== null) throw new HarnessError(`${this.#host.name} runs a program, which cannot be run at once`);
    }
    this.nowUs = Math.max(this.nowUs, untilUs);
  }

  #continueStep(host: Host): boolean {
    const task = host.work.next();
    if (task === undefined) return false;
    this.#tasks += 1;
    if (this.#tasks > this.#limits.tasksPerStep) {
      throw new UserError(
        `the program of ${host.name} ran ${this.#tasks} immediates without waiting for anything: it polls by ` +
          "setImmediate, but in a simulation time passes only while a program waits",
        SPINNING_HINT,
      );
    }
    this.#enter(host, "immediate", task.run);
    return true;
  }

  #advance(): RunEnd | undefined {
    const { done, untilUs = Infinity } = this.options;
    for (let budget = EVENTS_PER_SLOT; budget > 0; budget -= 1) {
      if (done?.() === true) return "done";
      const event = this.#queue.peek();
      if (event === undefined) return "idle";
      if (event.timeUs > untilUs) {
        this.nowUs = Math.max(this.nowUs, untilUs);
        return "time";
      }
      this.#queue.pop();
      this.nowUs = event.timeUs;
      this.#checkLimits();
      if (this.#begin(event)) return undefined;
      if (this.#abortedWith !== null) throw this.#abortedWith;
    }
    return undefined;
  }

  /** Executes an event. True when a program's step has begun and must be drained before the next. */
  #begin(event: ScheduledEvent): boolean {
    const { arrive, host } = event;
    if (arrive !== null) {
      event.arrive = null;
      if (!arrive()) return false;
    }
    const { run } = event;
    if (run === null) return false;
    if (host === null) {
      this.#count(event, "world");
      run();
      return false;
    }
    if (event.life !== host.life || host.state === "dead") return false;
    if (!host.executes) {
      host.hold(event);
      return false;
    }
    this.#count(event, host.name);
    if (host.runs === "service") {
      run();
      return false;
    }
    this.#host = host;
    this.#tasks = 0;
    host.clockReads = 0;
    current.host = host;
    // A server looks at nothing there.
    if (host.globals !== null) OwnGlobals.enter(host.globals);
    this.#enter(host, event.label, run);
    return true;
  }

  #count(event: ScheduledEvent, who: string): void {
    event.run = null;
    this.events += 1;
    this.#trace.event(this.nowUs, who, event.label);
    this.#inputs?.onInput(who, event.label, this.nowUs);
  }

  #enter(host: Host, during: string, run: () => void): void {
    try {
      if (this.descent === null) run();
      else this.descent.run(host, run);
    } catch (error) {
      host.uncaught(during, error);
    }
  }

  #checkLimits(): void {
    if (this.events >= this.#limits.events) {
      throw new SimulationLimitError(`the simulation ran ${this.events} events and was not over`);
    }
    if (this.nowUs > this.#limits.timeUs) {
      throw new SimulationLimitError(
        `the simulation reached ${inFigures(this.nowUs / 1000, 0)} ms of virtual time and was not over`,
      );
    }
  }
}
