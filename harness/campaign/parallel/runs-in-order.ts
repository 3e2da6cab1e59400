/** A result may wait for those before it; this many times `parallel` runs may be ahead of the first that is not over. */
const MOST_AHEAD = 4;

export interface RunsInOrderOptions<Task, Run> {
  /** How many tasks run at a time. */
  readonly parallel: number;
  /** Does a task. The signal aborts when its result is not wanted any more. */
  readonly run: (task: Task, signal: AbortSignal) => Promise<Run>;
  /** Takes a result. Called in the order in which the tasks began; after it has returned false, nothing more is taken. */
  readonly take: (task: Task, run: Run) => boolean;
  /** Is given each result that is not taken because an earlier one ended everything. */
  readonly drop?: ((run: Run) => void) | undefined;
}

interface Begun<Task, Run> {
  readonly task: Task;
  outcome?: { readonly run: Run } | { readonly error: unknown };
}

/**
 * Does tasks side by side, and hands over their results one by one in the order in which the tasks began, as if they
 * were done one after another: what is handed over does not depend on how many are done at a time. A task that fails
 * ends everything when its turn comes.
 */
export class RunsInOrder<Task, Run> {
  readonly #options: RunsInOrderOptions<Task, Run>;
  readonly #unwanted = new AbortController();
  /** Begun and not handed over, in order. */
  readonly #begun: Begun<Task, Run>[] = [];
  #running = 0;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(options: RunsInOrderOptions<Task, Run>) {
    this.#options = options;
  }

  /** Waits until another task may begin. Resolves to false when none may any more. */
  async room(): Promise<boolean> {
    const { parallel } = this.#options;
    while (!this.#isOver && (this.#running >= parallel || this.#begun.length >= parallel * MOST_AHEAD))
      await this.#changed.promise;
    return !this.#isOver;
  }

  /** Begins a task; call it when `room` has resolved to true. */
  begin(task: Task): void {
    const begun: Begun<Task, Run> = { task };
    this.#begun.push(begun);
    this.#running += 1;
    void this.#do(begun);
  }

  /**
   * Resolves when nothing is in progress.
   * @throws what the first task threw that failed, in the order of the tasks
   */
  async end(): Promise<void> {
    while (this.#running > 0) await this.#changed.promise;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #do(begun: Begun<Task, Run>): Promise<void> {
    try {
      begun.outcome = { run: await this.#options.run(begun.task, this.#unwanted.signal) };
    } catch (error) {
      begun.outcome = { error };
    }
    this.#running -= 1;
    try {
      this.#handOver();
    } catch (error) {
      this.#fail(error);
    }
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #handOver(): void {
    for (let first = this.#begun[0]; first?.outcome !== undefined; first = this.#begun[0]) {
      this.#begun.shift();
      if (this.#isOver) {
        if ("run" in first.outcome) this.#options.drop?.(first.outcome.run);
      } else if ("error" in first.outcome) this.#fail(first.outcome.error);
      else if (!this.#options.take(first.task, first.outcome.run)) this.#stop();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop();
  }

  #stop(): void {
    this.#isOver = true;
    this.#unwanted.abort(new Error("an earlier run ended the search"));
  }
}
