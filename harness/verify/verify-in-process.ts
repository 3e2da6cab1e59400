import { fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { HarnessError, UserError } from "../core/errors.ts";
import { NODE_OPTIONS_FOR_MODULES } from "../core/node-options.ts";
import type { VerificationOptions } from "../campaign/verification.ts";
import { refuseFakeTicks } from "../client/fake-timers.ts";
import type { ProcessAnswer } from "./verification-process.ts";
import type { Verification } from "./verify-options.ts";

/** Compiled, this file and the program end in .js; as source, in .ts. */
const program = fileURLToPath(new URL(`./verification-process${extname(import.meta.url)}`, import.meta.url));

/** Verifies in a separate process, and kills it when the signal aborts: a lock may never yield. */
export async function verifyInProcess(settings: VerificationOptions, signal?: AbortSignal): Promise<Verification> {
  await refuseFakeTicks();
  signal?.throwIfAborted();
  // Without the options of a test runner, some of which load modules.
  const child = fork(program, [], {
    execArgv: [...NODE_OPTIONS_FOR_MODULES],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (words: string) => (said = `${said}${words}`.slice(-2000)));
  const heard = Promise.withResolvers<ProcessAnswer>();
  child.once("message", (answer) => heard.resolve(answer as ProcessAnswer));
  child.once("error", (error) => heard.reject(error));
  // After `exit` a message may still arrive.
  child.once("close", (code, ending) =>
    heard.reject(
      hangIn(said) ??
        new HarnessError(`the verification process ended unexpectedly (${ending ?? code}): ${lastLine(said)}`),
    ),
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
  if (answer.hint === undefined) throw new HarnessError(answer.problem);
  throw new UserError(answer.problem, answer.hint);
}

/** What the process said of strangers' code that loops without waiting, its last words: see `watchThisThread`. */
function hangIn(said: string): UserError | undefined {
  const [, problem, hint] = /^lockstorm: (.*?); (.*)$/.exec(lastLine(said)) ?? [];
  return problem === undefined || hint === undefined ? undefined : new UserError(problem, hint);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) || "it printed nothing";
}
