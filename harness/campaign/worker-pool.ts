import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { HarnessError } from "../core/errors.ts";
import { NODE_OPTIONS_FOR_MODULES } from "../core/node-options.ts";

export interface WorkerCallbacks<Task, Answer> {
  /** When it aborts, tasks in progress are left undone, and no more begin. */
  readonly signal: AbortSignal;
  /** Asked before each task; absent: always yes. Tasks in progress are still finished. */
  readonly mayBegin?: () => boolean;
  readonly onStart: (task: Task, index: number) => void;
  /** Called in the order in which tasks finish. The thread that answered gets no other task before this returns. */
  readonly onAnswer: (task: Task, answer: Answer, index: number) => void | Promise<void>;
}

/**
 * One thread per core, each with a simulation of its own. A simulated run is the same in every thread, so the result
 * does not depend on which thread did what. A thread answers each message with one message. Disposing ends the threads,
 * whatever they do.
 */
export class WorkerPool<Task, Answer> implements AsyncDisposable {
  readonly #workers: readonly Worker[];

  /**
   * @param script the threads' program
   * @param work the `workerData` of each thread
   */
  constructor(script: URL, work?: unknown, size: number = availableParallelism()) {
    this.#workers = Array.from(
      { length: size },
      () => new Worker(script, { workerData: work, execArgv: [...NODE_OPTIONS_FOR_MODULES] }),
    );
  }

  /**
   * Does all tasks.
   * @throws HarnessError when a thread dies, and what a callback throws
   */
  async do(tasks: readonly Task[], callbacks: WorkerCallbacks<Task, Answer>): Promise<void> {
    const { signal, mayBegin = () => true, onStart, onAnswer } = callbacks;
    const queue = tasks.entries();
    await Promise.all(
      this.#workers.map(async (worker) => {
        while (!signal.aborted && mayBegin()) {
          const next = queue.next();
          if (next.done === true) return;
          const [index, task] = next.value;
          onStart(task, index);
          const answer = await ask(worker, task, signal);
          if (answer !== undefined) await onAnswer(task, answer as Answer, index);
        }
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** The thread's answer; undefined when the signal came first. If the thread fails, `once` throws. */
async function ask(worker: Worker, task: unknown, signal: AbortSignal): Promise<unknown> {
  const over = new AbortController();
  const { signal: until } = over;
  const said = once(worker, "message", { signal: until }).then(([answer]): unknown => answer);
  const died = once(worker, "exit", { signal: until }).then(([code]): never => {
    throw new HarnessError(`a worker thread ended unexpectedly (${code})`);
  });
  const stopped = once(signal, "abort", { signal: until }).then(() => undefined);
  worker.postMessage(task);
  try {
    return await Promise.race([said, died, stopped]);
  } finally {
    over.abort();
    await Promise.allSettled([said, died, stopped]);
  }
}
