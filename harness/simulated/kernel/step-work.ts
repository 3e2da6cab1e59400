/** A task to run within a step, after the callback that began it. */
export interface StepTask {
  readonly run: () => void;
  cancelled: boolean;
}

const PHASES = ["pending", "check", "closing"] as const;
type Phase = (typeof PHASES)[number];

/**
 * The work of a host before its step is over, in the order of libuv's loop (`uv_run`) after it has polled: pending
 * completions, then immediates (the check phase), then the callbacks of closed handles, the last closed first, as libuv
 * keeps them in a stack. New work waits for its phase in the next round.
 */
export class StepWork {
  readonly #waiting: Record<Phase, StepTask[]> = { pending: [], check: [], closing: [] };
  #phase: StepTask[] = [];
  #position = 0;
  #next = 0;
  #count = 0;

  /** Completions that libuv reports right after polling, for example of a shutdown. */
  addPending(run: () => void): StepTask {
    return this.#add("pending", run);
  }

  addImmediate(run: () => void): StepTask {
    return this.#add("check", run);
  }

  addClosing(run: () => void): StepTask {
    return this.#add("closing", run);
  }

  /** The next task; undefined when the step is over. */
  next(): StepTask | undefined {
    for (;;) {
      const task = this.#phase[this.#position];
      if (task !== undefined) {
        this.#position += 1;
        if (!task.cancelled) return task;
      } else if (!this.#beginPhase()) return undefined;
    }
  }

  clear(): void {
    for (const phase of PHASES) this.#waiting[phase] = [];
    this.#phase = [];
    this.#position = 0;
    this.#next = 0;
    this.#count = 0;
  }

  #add(phase: Phase, run: () => void): StepTask {
    const task = { run, cancelled: false };
    this.#waiting[phase].push(task);
    this.#count += 1;
    return task;
  }

  #beginPhase(): boolean {
    this.#position = 0;
    if (this.#count === 0) {
      this.#phase = [];
      this.#next = 0;
      return false;
    }
    const phase = PHASES[this.#next] ?? "pending";
    this.#next = (this.#next + 1) % PHASES.length;
    const tasks = this.#waiting[phase];
    this.#waiting[phase] = [];
    this.#count -= tasks.length;
    this.#phase = phase === "closing" ? tasks.toReversed() : tasks;
    return true;
  }
}
