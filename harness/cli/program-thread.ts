/** The thread of the program: see `supervisor.ts`. */
import { enableCompileCache } from "node:module";
import { parentPort } from "node:worker_threads";
import { HarnessError, messageOf, UserError } from "../core/errors.ts";
import { EXIT } from "../core/verdict.ts";
import { cleanup } from "../campaign/cleanup.ts";
import { guardStreams } from "./terminal.ts";

/** The messages to the thread. */
export type ToProgram = { readonly interrupt: true } | { readonly inputFailed: string };

/** Its messages: that it has ended; that it received the interruption; that it wants standard input. */
export type FromProgram = { readonly exitCode: number } | { readonly cleans: boolean } | { readonly wantsInput: true };

const PROJECT = new URL("../../", import.meta.url).href;

/** An error from a module of others: attributed to that module, by the first place in its stack. */
function ownedError(error: unknown): unknown {
  const [, place] = /\bat .*?(file:\/\/[^\s)]+)/.exec(error instanceof Error ? (error.stack ?? "") : "") ?? [];
  const isOurs = place === undefined || (place.startsWith(PROJECT) && !place.includes("/node_modules/"));
  if (error instanceof UserError || error instanceof HarnessError || isOurs) return error;
  const problem = `${place} threw, or rejected a promise, while nobody waited for it: ${messageOf(error)}`;
  return new UserError(problem, "fix the driver, or what it imports", { cause: error });
}

const interruption = new AbortController();
const { signal } = interruption;
const send = (message: FromProgram): void => parentPort?.postMessage(message);

parentPort?.on("message", (message: ToProgram) => {
  if ("inputFailed" in message) process.stdin.destroy(new Error(message.inputFailed));
  if (!("interrupt" in message) || signal.aborted) return;
  send({ cleans: cleanup.isDue });
  interruption.abort(new UserError("interrupted", "what was recorded is kept"));
});
// It must not keep the thread alive when nothing else does.
parentPort?.unref();
guardStreams();
// Loaded only now: compiled code is cached from one start to the next, and compiling is half of a start.
enableCompileCache();
const { explain, run } = await import("./main.ts");
// An error that nobody awaits: a driver's, a library's, or our own. It is printed as one line too, and the watchdog
// cleans up.
process.on("uncaughtException", (error) => send({ exitCode: explain(ownedError(error), signal) }));
run(process.argv.slice(2), signal).then(
  (exitCode) => send({ exitCode }),
  () => send({ exitCode: EXIT.harness }),
);
