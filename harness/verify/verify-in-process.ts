import { fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { HarnessError, UserError } from "../core/errors.ts";
import type { VerifySettings } from "./settings.ts";
import type { ProcessAnswer } from "./verification-process.ts";
import type { Verification } from "./verify-options.ts";

/** Compiled, this file and the program end in .js; as source, in .ts. */
const program = fileURLToPath(new URL(`./verification-process${extname(import.meta.url)}`, import.meta.url));

/** Verifies in a process of its own, and kills it when the signal aborts: a lock may never yield. */
export async function verifyInProcess(settings: VerifySettings, signal?: AbortSignal): Promise<Verification> {
  signal?.throwIfAborted();
  // Not with the options of a test runner, some of which load things.
  const child = fork(program, [], { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (words: string) => (said = `${said}${words}`.slice(-2000)));
  const heard = Promise.withResolvers<ProcessAnswer>();
  child.once("message", (answer) => heard.resolve(answer as ProcessAnswer));
  child.once("error", (error) => heard.reject(error));
  // After `exit` there may still be something to hear.
  child.once("close", (code, ending) =>
    heard.reject(new HarnessError(`the verification ended by itself (${ending ?? code}): ${lastLine(said)}`)),
  );
  const aborted = (): void => heard.reject(signal?.reason);
  signal?.addEventListener("abort", aborted, { once: true });
  try {
    child.send(settings);
    return read(await heard.promise);
  } finally {
    signal?.removeEventListener("abort", aborted);
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
  }
}

function read(answer: ProcessAnswer): Verification {
  if ("verification" in answer) return answer.verification;
  if (answer.mend === undefined) throw new HarnessError(answer.problem);
  throw new UserError(answer.problem, answer.mend);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) || "it said nothing";
}
