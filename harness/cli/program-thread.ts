/** The thread of the program: see `supervisor.ts`. */
import { enableCompileCache } from "node:module";
import { parentPort } from "node:worker_threads";
import { blamedOnBuiltIns, ownBuiltIns } from "../client/built-ins.ts";
import { UserError } from "../core/errors.ts";
import { cleanup } from "../campaign/cleanup.ts";
import { ownedUnawaited } from "./foreign-error.ts";
import { guardStreams } from "./terminal.ts";

/** The messages to the thread. */
export type ToProgram = { readonly interrupt: true } | { readonly inputFailed: string };

/** Its messages: that it has ended, with what it failed to say; that it received the interruption; that it wants standard input. */
export type FromProgram =
  | { readonly exitCode: number; readonly untold?: string | undefined }
  | { readonly cleans: boolean }
  | { readonly wantsInput: true };

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
ownBuiltIns();
guardStreams();
// Loaded only now: compiled code is cached from one start to the next, and compiling is half of a start.
enableCompileCache();
const { explain, run } = await import("./main.ts");
let hasEnded = false;
// An error that nobody awaits: a driver's, a library's, or our own. It is printed as one line too, and the watchdog
// cleans up.
process.on("uncaughtException", (error) => {
  end(() => explain(ownedUnawaited(blamedOnBuiltIns(error)), signal));
  // Until the process is gone, more may fail because of it. Nobody is told of that.
  interruption.abort(new UserError("the program has ended", "see its error"));
});
// Where promises no longer settle, nothing is left to do although the command is not done.
process.on("exit", () => {
  if (hasEnded) return;
  const blamed = blamedOnBuiltIns(undefined);
  if (blamed instanceof UserError) end(() => explain(blamed, signal));
});
run(process.argv.slice(2), signal).then(
  (exitCode) => end(() => exitCode),
  // A lock that alters the language's own objects, such as Array.prototype, may have made even saying so impossible.
  (error: unknown) => end(() => explain(error, signal)),
);

/** The first end counts: until the process is gone, the same driver may fail once more. */
function end(exitCode: () => number, untold?: string): void {
  if (hasEnded) return;
  hasEnded = true;
  send({ exitCode: exitCode(), untold });
}
