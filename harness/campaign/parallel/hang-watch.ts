import { replayFromHere } from "../../core/words/replay-from-here.ts";
import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { UserError } from "../../core/errors.ts";
import { HeartbeatReader, type HeartbeatTask } from "../../client/heartbeat.ts";
import type { Plan } from "../../core/plan.ts";
import { replaceFile } from "../../run/output-file.ts";

const LOOK_EVERY_MS = 250;
/**
 * Milliseconds of processor time that strangers' code may compute without waiting for anything. A step takes
 * microseconds; the first one loads a library, in a second at most.
 */
export const DEFAULT_STEP_LIMIT_MS = 20_000;
const SLOW_LOADING_MS = 1_000;
const VARIABLE = "LOCKSTORM_STEP_LIMIT_MS";
/** Of the figures in `/proc`. */
const MS_PER_TICK = 10;

export interface HangWatchOptions {
  /** What the thread beats in. */
  readonly memory: SharedArrayBuffer;
  /** Called once, with what to tell the user. A thread that loops goes on. */
  readonly onHang: (error: UserError) => void;
  /** Called once, with the lock, when loading it takes longer than a second: that thread can say nothing meanwhile. */
  readonly onSlowLoading?: ((lock: string) => void) | undefined;
}

/**
 * Watches another thread, which cannot tell that strangers' code loops without waiting: nothing else runs there any more.
 * What counts is the processor time that the thread takes within one step, so that a slow or a busy machine is never
 * mistaken for a loop. Disposing ends the watch.
 */
export class HangWatch implements Disposable {
  readonly #options: HangWatchOptions;
  readonly #reader: HeartbeatReader;
  readonly #limitMs = limitMs();
  readonly #timer: NodeJS.Timeout;
  /** The step in progress at the last look, and the processor time then, or at the first look that saw this step. */
  #seen: { readonly step: number; readonly fromMs: number } | undefined;
  /** When the loading in progress was first seen. */
  #loadingSinceMs: number | undefined;
  #isToldOfLoading = false;

  constructor(options: HangWatchOptions) {
    this.#options = options;
    this.#reader = new HeartbeatReader(options.memory);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { step } = this.#reader;
    this.#tellOfLoading(step);
    if (step === undefined) {
      this.#seen = undefined;
      return;
    }
    const nowMs = processorMs(this.#reader.systemThread);
    if (nowMs === undefined) return;
    if (this.#seen?.step !== step) this.#seen = { step, fromMs: nowMs };
    else if (nowMs - this.#seen.fromMs >= this.#limitMs) this.#report();
  }

  #tellOfLoading(step: number | undefined): void {
    const { onSlowLoading } = this.#options;
    if (onSlowLoading === undefined || this.#isToldOfLoading) return;
    const task = step === undefined ? undefined : this.#reader.task;
    if (task === undefined || task.plan !== undefined) {
      this.#loadingSinceMs = undefined;
      return;
    }
    this.#loadingSinceMs ??= performance.now();
    if (performance.now() - this.#loadingSinceMs < SLOW_LOADING_MS) return;
    this.#isToldOfLoading = true;
    onSlowLoading(task.lock);
  }

  /** Reports that the thread took all memory that it may have, which ended it. */
  reportMemory(): void {
    clearInterval(this.#timer);
    const { step, task } = this.#reader;
    this.#options.onHang(step === undefined ? outOfMemory("lockstorm", "") : outOfStrangersMemory(task));
  }

  #report(): void {
    clearInterval(this.#timer);
    this.#options.onHang(endless(this.#reader.task, this.#limitMs));
  }
}

function endless(task: HeartbeatTask | undefined, limitMs: number): UserError {
  const { lock, during, kept } = inWords(task);
  return new UserError(
    `${lock} computed for ${limitMs / 1000} s of processor time without waiting for anything, ${during}`,
    `wait for a timer or an answer in each round, or allow more by ${VARIABLE}${kept}`,
  );
}

function outOfStrangersMemory(task: HeartbeatTask | undefined): UserError {
  const { lock, during, kept } = inWords(task);
  return outOfMemory(`${lock}, ${during},`, kept);
}

function outOfMemory(who: string, kept: string): UserError {
  return new UserError(
    `${who} needed more memory than Node gives to a thread`,
    `keep less, or give it more: NODE_OPTIONS=--max-old-space-size=8192 (in MB)${kept}`,
  );
}

/** What a thread was doing, in words for a sentence; of a run the plan is kept, and `kept` says how it is run again. */
function inWords(task: HeartbeatTask | undefined): Readonly<Record<"lock" | "during" | "kept", string>> {
  const { lock = "a lock", plan, store } = task ?? {};
  const during = plan === undefined ? "while it was loaded" : `in the run of the plan with seed ${plan.seed}`;
  const path = plan === undefined || store === undefined ? undefined : keep(plan, store);
  return { lock, during, kept: path === undefined ? "" : `; the plan is kept: ${replayFromHere(path)}` };
}

/** Keeps a plan of which there is nothing else. Returns its path, or undefined if it cannot be written. */
function keep(plan: Plan, store: string): string | undefined {
  const path = join(store, `hang-${plan.seed}.json`);
  try {
    mkdirSync(store, { recursive: true });
    replaceFile(path, `${JSON.stringify(plan, undefined, 2)}\n`);
    return path;
  } catch {
    return undefined;
  }
}

/** The processor time of a thread so far, in milliseconds; undefined when it has just ended. */
function processorMs(systemThread: number | undefined): number | undefined {
  if (systemThread !== undefined) {
    const stat = statOf(systemThread);
    if (stat === undefined) return undefined;
    // After the name, which may hold anything, in parentheses: the state is field 3, utime and stime are 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  }
  // That of the whole process, of which the thread gets its share.
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 / (availableParallelism() + 1);
}

function statOf(systemThread: number): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${systemThread}/stat`, "latin1");
  } catch {
    return undefined;
  }
}

function limitMs(): number {
  const given = Number(process.env[VARIABLE]);
  return given > 0 ? given : DEFAULT_STEP_LIMIT_MS;
}
