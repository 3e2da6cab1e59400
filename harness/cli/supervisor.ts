/**
 * The process's first thread. The program runs in a thread of its own, so that this thread receives signals while the
 * program computes, loops in a user's lock or waits for a disk.
 */
import { writeSync } from "node:fs";
import { SHARE_ENV, type WorkerOptions } from "node:worker_threads";
import { endThread } from "../campaign/parallel/end-thread.ts";
import { startWatched } from "../campaign/parallel/watched-worker.ts";
import { NODE_OPTIONS_FOR_MODULES } from "../core/node-options.ts";
import { EXIT } from "../core/verdict.ts";
import type { FromProgram, ToProgram } from "./program-thread.ts";
import type { TerminalFacts } from "./terminal.ts";

const INTERRUPTED = 130;
/**
 * Megabytes for what the program has just made. Most of it is dropped at once; Node's own limit takes 100 MB more, and no
 * less time.
 */
const YOUNG_GENERATION_MB = 24;
/** A program that does not answer an interruption within this many milliseconds is ended. */
const ANSWER_MS = 400;
/** A program that has nothing to clean up is ended after this many milliseconds. */
const END_MS = 800;
/** A thread that has not ended this many milliseconds after it was first asked to is taken for one that never does. */
const NEVER_ENDS_MS = 20_000;
/** A launcher and a terminal both forward a Ctrl-C: a second one within this many milliseconds counts as the same. */
const SAME_MS = 100;
/** Node's exit code for a thread in which nothing can happen any more while a module is still loading. */
const NEVER_SETTLED = 13;

/** Runs the program with these words and ends the process with its exit code. */
export function supervise(words: readonly string[]): void {
  const facts: TerminalFacts = { columns: process.stdout.columns };
  const options = {
    argv: [...words],
    execArgv: [...NODE_OPTIONS_FOR_MODULES],
    env: SHARE_ENV,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    stdin: true,
    workerData: facts,
  } satisfies WorkerOptions;
  const program = new URL(import.meta.url.replace("supervisor", "program-thread"));
  const thread = startWatched(
    program,
    options,
    ({ message, hint }) => end(EXIT.usage, `${message}; ${hint}`),
    (lock) => say(`loading ${asPrintable(lock)} and what it imports takes more than a second\n`),
  );
  let isLeaving = false;
  // To leave at once, Node would ask a looping thread once to end, and wait for it.
  const leave = (code: number): void => {
    isLeaving = true;
    // A thread that does nothing but collect garbage never ends, and Node would wait for it too.
    setTimeout(() => process.kill(process.pid, "SIGKILL"), NEVER_ENDS_MS);
    void endThread(thread).then(() => process.exit(code));
  };
  const end = (code: number, why: string): void => {
    say(`lockstorm: ${asPrintable(why)}\n`);
    leave(code);
  };
  const send = (message: ToProgram): void => thread.postMessage(message);
  const interruption = new Interruption(send, () => leave(INTERRUPTED));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interruption.begin());
  thread.on("message", (message: FromProgram) => {
    if ("exitCode" in message && message.untold !== undefined) end(message.exitCode, `unexpected: ${message.untold}`);
    else if ("exitCode" in message) process.exit(message.exitCode);
    if ("cleans" in message) interruption.answered(message.cleans);
    // Only on request: reading standard input takes bytes that others may want.
    if ("wantsInput" in message && thread.stdin !== null) {
      process.stdin.on("error", ({ message: problem }) => send({ inputFailed: problem })).pipe(thread.stdin);
    }
  });
  thread.on("error", (error) => {
    if (isLeaving) return;
    end(EXIT.harness, `unexpected: ${error instanceof Error ? error.message : String(error)}`);
  });
  thread.on("exit", (code) => {
    if (isLeaving) return;
    if (interruption.begun) process.exit(INTERRUPTED);
    if (code === NEVER_SETTLED) end(EXIT.harness, "nothing can happen any more, and the command is not done");
    end(
      EXIT.usage,
      `the lock or the configuration ended the process (exit code ${code}); let its file load without process.exit`,
    );
  });
}

class Interruption {
  readonly #send: (message: ToProgram) => void;
  readonly #leave: () => void;
  #begunAt: number | undefined;
  #cleans: boolean | undefined;

  constructor(send: (message: ToProgram) => void, leave: () => void) {
    this.#send = send;
    this.#leave = leave;
  }

  get begun(): boolean {
    return this.#begunAt !== undefined;
  }

  /** A second interruption does not wait; the watchdog removes what is left. */
  begin(): void {
    const now = performance.now();
    if (this.#begunAt !== undefined) {
      if (now - this.#begunAt > SAME_MS) this.#leave();
      return;
    }
    this.#begunAt = now;
    say("\nlockstorm: interrupted, cleaning up (again to leave at once)\n");
    this.#send({ interrupt: true });
    setTimeout(() => this.#cleans === undefined && this.#leave(), ANSWER_MS);
    setTimeout(() => this.#cleans !== true && this.#leave(), END_MS);
  }

  /** @param cleans whether the program must remove something, which takes time */
  answered(cleans: boolean): void {
    this.#cleans = cleans;
  }
}

/** The program, which would make the text printable, is gone or busy. */
function asPrintable(text: string): string {
  return text.replaceAll(/[^ -~]/g, "?");
}

function say(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // There is nobody to tell.
  }
}
