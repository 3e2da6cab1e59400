import { once } from "node:events";
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { HarnessError } from "../../core/errors.ts";
import type { Answer, LadderWork, Task } from "./worker.ts";

const script = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

export interface CrewCallbacks {
  readonly signal: AbortSignal;
  readonly mayBegin: () => boolean;
  readonly onStart: (task: Task, index: number) => void;
  /** In the order in which they are done. */
  readonly onAnswer: (task: Task, answer: Answer) => void;
}

/**
 * One thread for each core, each with a simulation of its own: a simulated run is the same wherever it runs, so the
 * result does not depend on which thread did what. Disposing ends them, whatever they do.
 */
export class Crew implements AsyncDisposable {
  readonly #workers: readonly Worker[];

  constructor(work: LadderWork, size: number = availableParallelism()) {
    this.#workers = Array.from({ length: size }, () => new Worker(script, { workerData: work }));
  }

  /**
   * Does all tasks. None is begun that may not begin, and what is under way when the signal comes is left undone.
   * @throws HarnessError when a worker dies, and what a callback throws
   */
  async do(tasks: readonly Task[], callbacks: CrewCallbacks): Promise<void> {
    const { signal, mayBegin, onStart, onAnswer } = callbacks;
    const queue = tasks.entries();
    await Promise.all(
      this.#workers.map(async (worker) => {
        while (mayBegin()) {
          const next = queue.next();
          if (next.done === true) return;
          const [index, task] = next.value;
          onStart(task, index);
          const answer = await ask(worker, task, signal);
          if (answer !== undefined) onAnswer(task, answer);
        }
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** The worker's answer; undefined when the signal came first. What a thread throws, `once` throws. */
async function ask(worker: Worker, task: Task, signal: AbortSignal): Promise<Answer | undefined> {
  const over = new AbortController();
  const { signal: until } = over;
  const said = once(worker, "message", { signal: until }).then(([answer]) => answer as Answer);
  const died = once(worker, "exit", { signal: until }).then(([code]): never => {
    throw new HarnessError(`a thread of the search ended by itself (${code})`);
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
