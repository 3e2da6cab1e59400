import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { HarnessError } from "../core/errors.ts";

export interface CrewCallbacks<Task, Answer> {
  /** What is under way when it comes is left undone, and nothing more is begun. */
  readonly signal: AbortSignal;
  /** Asked before each task; absent: always. What is under way is still finished. */
  readonly mayBegin?: () => boolean;
  readonly onStart: (task: Task, index: number) => void;
  /** In the order in which they are done. */
  readonly onAnswer: (task: Task, answer: Answer, index: number) => void;
}

/**
 * One thread for each core, each with a simulation of its own: a simulated run is the same wherever it runs, so the
 * result does not depend on which thread did what. A thread answers each message with one message. Disposing ends them,
 * whatever they do.
 */
export class Crew<Task, Answer> implements AsyncDisposable {
  readonly #workers: readonly Worker[];

  /** @param script the threads' program @param work what each is started with, as its `workerData` */
  constructor(script: URL, work?: unknown, size: number = availableParallelism()) {
    this.#workers = Array.from({ length: size }, () => new Worker(script, { workerData: work }));
  }

  /** Does all tasks. @throws HarnessError when a thread dies, and what a callback throws */
  async do(tasks: readonly Task[], callbacks: CrewCallbacks<Task, Answer>): Promise<void> {
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
          if (answer !== undefined) onAnswer(task, answer as Answer, index);
        }
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** The thread's answer; undefined when the signal came first. What a thread throws, `once` throws. */
async function ask(worker: Worker, task: unknown, signal: AbortSignal): Promise<unknown> {
  const over = new AbortController();
  const { signal: until } = over;
  const said = once(worker, "message", { signal: until }).then(([answer]): unknown => answer);
  const died = once(worker, "exit", { signal: until }).then(([code]): never => {
    throw new HarnessError(`a thread ended by itself (${code})`);
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
