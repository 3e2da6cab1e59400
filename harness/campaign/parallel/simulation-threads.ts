import { extname } from "node:path";
import type { Worker } from "node:worker_threads";
import { NODE_OPTIONS_FOR_MODULES } from "../../core/node-options.ts";
import type { Plan } from "../../core/plan.ts";
import type { Execute, ExecutedRun, ExecuteOptions } from "../execute.ts";
import { heartbeat } from "../../client/heartbeat.ts";
import type { UserError } from "../../core/errors.ts";
import type { CompleteEnvironment } from "../run-environment.ts";
import { endThread } from "./end-thread.ts";
import { startWatched } from "./watched-worker.ts";
import { Pace } from "./worth-of-threads.ts";
import { executedSimulation, executeSimulated, noteKept } from "../simulated-executor.ts";
import type { FromSimulationThread, SimulationThreadData, ToSimulationThread } from "./simulation-thread.ts";

/** A thread that has one plan to do when it ends another never waits for the next. */
const PLANS_PER_THREAD = 2;

const PROGRAM = new URL(`./simulation-thread${extname(import.meta.url)}`, import.meta.url);

interface ThreadsOptions extends Pick<CompleteEnvironment, "store" | "signal"> {
  /** How many threads simulate. With 1, it is this one. */
  readonly threads: number;
  /** Whether the others start at once, and this thread never simulates but waits for them. Default: false. */
  readonly atOnce?: boolean | undefined;
  /** How many plans the campaign has at most: the others do not start for the little that is left. Default: no limit. */
  readonly plans?: number | undefined;
}

/**
 * Simulates plans on several cores. A simulated run is the same in every thread, so that the results do not depend on
 * their number, nor on which thread did what. This thread begins alone, and goes on until the others are ready; they start
 * when so much is left that it is worth it, and then do all the work. A plan that fails there, or whose thread dies, is
 * simulated again here, where the error has its place. Disposing ends the threads, even in the middle of a run.
 */
export class SimulationThreads implements AsyncDisposable {
  readonly #options: ThreadsOptions;
  readonly #pace = new Pace();
  #threads: SimulationThread[] | undefined;
  #begun = 0;
  /** The simulations of this thread, one after another. */
  #own: Promise<unknown> = Promise.resolve();

  constructor(options: ThreadsOptions) {
    this.#options = options;
    heartbeat.keepIn(options.store);
  }

  /** How many plans to begin at a time. */
  get parallel(): number {
    const { threads } = this.#options;
    return threads === 1 ? 1 : threads * PLANS_PER_THREAD;
  }

  /** Simulates a plan. @throws what `executeSimulated` throws */
  readonly execute: Execute = async (plan, options) => {
    const thread = this.#freest();
    return (await thread?.execute(plan, options)) ?? this.#executeHere(plan, options);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads?.map((thread) => thread.end()) ?? []);
  }

  /** The thread with the fewest plans to do; undefined while this one works alone. */
  #freest(): SimulationThread | undefined {
    const { threads, atOnce = false, plans = Infinity, ...options } = this.#options;
    if (threads === 1) return undefined;
    if (this.#threads === undefined && (atOnce || this.#isWorth(threads, plans))) {
      this.#threads = Array.from({ length: threads }, () => new SimulationThread(options));
    }
    const able = this.#threads?.filter(({ state }) => state === "ready" || (state === "starting" && atOnce));
    return able?.toSorted((one, other) => one.tasks - other.tasks)[0];
  }

  /** Whether the others are worth their start when another plan begins here. */
  #isWorth(threads: number, plans: number): boolean {
    const { user, system } = process.cpuUsage();
    const begun = this.#begun++;
    this.#pace.note({ begun, cpuMs: (user + system) / 1000 });
    return this.#pace.isWorth(threads, plans - begun);
  }

  async #executeHere(plan: Plan, options: ExecuteOptions): Promise<ExecutedRun> {
    const run = this.#own.then(() => {
      // Nobody waits for what comes after the counterexample.
      options.unwanted?.throwIfAborted();
      return executeSimulated(plan, options);
    });
    this.#own = run.catch(() => undefined);
    return run;
  }
}

/** One thread, and what it has to do. */
class SimulationThread {
  readonly #worker: Worker;
  readonly #environment: Pick<CompleteEnvironment, "store" | "signal">;
  /** What to do with each answer; undefined when there is none to come. */
  readonly #tasks = new Map<number, PromiseWithResolvers<FromSimulationThread | undefined>>();
  readonly #over = new AbortController();
  #next = 0;
  #state: "starting" | "ready" | "dead" = "starting";

  constructor(environment: Pick<CompleteEnvironment, "store" | "signal">) {
    const { store, signal } = environment;
    this.#environment = environment;
    const workerData: SimulationThreadData = { store };
    const options = { workerData, execArgv: [...NODE_OPTIONS_FOR_MODULES] };
    this.#worker = startWatched(PROGRAM, options, (error) => this.#hangs(error));
    this.#worker.on("message", (answer: FromSimulationThread) => this.#take(answer));
    // Its plans are simulated by the others, and there the error is seen.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => this.#giveUp());
    const interrupt = (): void => this.#worker.postMessage({ interrupt: true } satisfies ToSimulationThread);
    signal.addEventListener("abort", interrupt, { signal: this.#over.signal });
  }

  get state(): "starting" | "ready" | "dead" {
    return this.#state;
  }

  /** How many plans it has to do. */
  get tasks(): number {
    return this.#tasks.size;
  }

  /** The run; undefined when it failed there. @throws when it was interrupted; UserError when it loops without waiting */
  async execute(plan: Plan, { title, required, delays, progress }: ExecuteOptions): Promise<ExecutedRun | undefined> {
    const id = this.#next++;
    const task = Promise.withResolvers<FromSimulationThread | undefined>();
    this.#tasks.set(id, task);
    this.#worker.postMessage({ id, plan, title, required, delays } satisfies ToSimulationThread);
    const answer = await task.promise;
    const { signal } = this.#environment;
    if (answer !== undefined && "kept" in answer && progress !== undefined) noteKept(answer.kept, { progress, signal });
    signal.throwIfAborted();
    if (answer === undefined || !("record" in answer)) return undefined;
    const { record, traceHash } = answer;
    return executedSimulation({ plan, record: { ...record, plan }, traceHash, messages: [] }, this.#environment);
  }

  async end(): Promise<void> {
    this.#over.abort();
    await endThread(this.#worker);
  }

  #take(answer: FromSimulationThread): void {
    if ("isReady" in answer) {
      this.#state = "ready";
      return;
    }
    const task = this.#tasks.get(answer.id);
    this.#tasks.delete(answer.id);
    task?.resolve(answer);
  }

  /** Its first plan loops; the others are simulated elsewhere. */
  #hangs(error: UserError): void {
    for (const [id, task] of this.#tasks) {
      this.#tasks.delete(id);
      task.reject(error);
      break;
    }
    void endThread(this.#worker);
  }

  #giveUp(): void {
    this.#state = "dead";
    const waiting = [...this.#tasks.values()];
    this.#tasks.clear();
    for (const { resolve } of waiting) resolve(undefined);
  }
}
