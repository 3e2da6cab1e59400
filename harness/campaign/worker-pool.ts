import { on, once } from "node:events";
import type { Worker } from "node:worker_threads";
import { HarnessError, type UserError } from "../core/errors.ts";
import { NODE_OPTIONS_FOR_MODULES } from "../core/node-options.ts";
import { simulationsAtATime } from "./parallel/simulations-at-a-time.ts";
import { endThread } from "./parallel/end-thread.ts";
import { isBeyondItsShare } from "./parallel/memory-of-threads.ts";
import { startWatched } from "./parallel/watched-worker.ts";

/** What a thread says of a task before it answers. */
export interface Interim<News> {
  readonly interim: News;
}

export interface WorkerCallbacks<Task, Answer, News> {
  /** When it aborts, tasks in progress are left undone, and no more begin. */
  readonly signal: AbortSignal;
  /** Asked before each task; absent: always yes. Tasks in progress are still finished. */
  readonly mayBegin?: () => boolean;
  readonly onStart: (task: Task, index: number) => void;
  /** Called in the order in which tasks finish. The thread that answered gets no other task before this returns. */
  readonly onAnswer: (task: Task, answer: Answer, index: number) => void | Promise<void>;
  /** Called with what a thread says before its answer. Default: nobody listens. */
  readonly onInterim?: ((task: Task, news: News, index: number) => void) | undefined;
}

/**
 * One thread per core, as far as memory goes, each with a simulation of its own. A simulated run is the same in every
 * thread, so the result does not depend on which thread did what. A thread answers each message with one message, before
 * which it may say how far it is. One that has grown beyond its share of memory is ended between two tasks, and another
 * begun in its place. Disposing ends the threads, even in the middle of a task.
 */
export class WorkerPool<Task, Answer, News = never> implements AsyncDisposable {
  readonly #start: () => Worker;
  readonly #workers: Worker[];
  readonly #hang = Promise.withResolvers<never>();

  /**
   * @param script the threads' program
   * @param work the `workerData` of each thread
   */
  constructor(script: URL, work?: unknown, size = simulationsAtATime()) {
    const options = { workerData: work, execArgv: [...NODE_OPTIONS_FOR_MODULES] };
    const onHang = (error: UserError): void => this.#hang.reject(error);
    this.#start = () => startWatched(script, options, onHang);
    this.#workers = Array.from({ length: size }, this.#start);
    this.#hang.promise.catch(() => {});
  }

  /**
   * Does all tasks.
   * @throws UserError when a lock loops there without waiting; HarnessError when a thread dies, and what a callback throws
   */
  async do(tasks: readonly Task[], callbacks: WorkerCallbacks<Task, Answer, News>): Promise<void> {
    const { signal, mayBegin = () => true, onStart, onAnswer, onInterim } = callbacks;
    const queue = tasks.entries();
    const done = Promise.all(
      Array.from(this.#workers.keys(), async (place) => {
        while (!signal.aborted && mayBegin()) {
          const next = queue.next();
          if (next.done === true) return;
          const [index, task] = next.value;
          onStart(task, index);
          const worker = await this.#workerAt(place);
          const answer = await ask(worker, task, { signal, onNews: (news) => onInterim?.(task, news as News, index) });
          if (answer !== undefined) await onAnswer(task, answer as Answer, index);
        }
      }),
    );
    // After a hang nobody waits for the rest, which ends with the threads.
    done.catch(() => {});
    await Promise.race([done, this.#hang.promise]);
  }

  /** The thread in a place, which has the memory for another task. */
  async #workerAt(place: number): Promise<Worker> {
    const worker = this.#workers[place] ?? this.#start();
    if (!(await isBeyondItsShare(worker))) return worker;
    await endThread(worker);
    const next = this.#start();
    this.#workers[place] = next;
    return next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map(endThread));
  }
}

interface Listening {
  readonly signal: AbortSignal;
  readonly onNews: (news: unknown) => void;
}

/** The thread's answer; undefined when the signal came first. @throws what the thread failed with, and what a listener throws */
async function ask(worker: Worker, task: unknown, { signal, onNews }: Listening): Promise<unknown> {
  const over = new AbortController();
  const { signal: until } = over;
  const said = answerOf(worker, until, onNews);
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

async function answerOf(worker: Worker, signal: AbortSignal, onNews: (news: unknown) => void): Promise<unknown> {
  // `on` keeps what comes while a listener is busy; it rejects when the thread fails.
  for await (const [message] of on(worker, "message", { signal })) {
    if (!isInterim(message)) return message;
    onNews(message.interim);
  }
  return undefined;
}

function isInterim(message: unknown): message is Interim<unknown> {
  return typeof message === "object" && message !== null && "interim" in message;
}
