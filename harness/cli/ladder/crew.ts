import { once } from "node:events";
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { HarnessError } from "../../core/errors.ts";
import type { Answer, LadderWork, Task } from "./worker.ts";

const script = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

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
   * Does all tasks; the answers come in the order of the tasks. No task is begun after the signal: its answer is missing.
   * @throws HarnessError when a worker dies
   */
  async do(
    tasks: readonly Task[],
    { signal, onStart }: { readonly signal: AbortSignal; readonly onStart: (task: Task, index: number) => void },
  ): Promise<readonly (Answer | undefined)[]> {
    const answers: (Answer | undefined)[] = tasks.map(() => undefined);
    const queue = tasks.entries();
    await Promise.all(
      this.#workers.map(async (worker) => {
        for (const [index, task] of queue) {
          if (signal.aborted) return;
          onStart(task, index);
          answers[index] = await ask(worker, task, signal);
        }
      }),
    );
    return answers;
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
