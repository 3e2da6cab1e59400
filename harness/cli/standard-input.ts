import type { Readable } from "node:stream";
import { parentPort } from "node:worker_threads";
import type { FromProgram } from "./program-thread.ts";

let isAskedFor = false;

/** Standard input. It belongs to the first thread, which passes it on once it is requested. */
export function standardInput(): Readable {
  const message: FromProgram = { wantsInput: true };
  if (!isAskedFor) parentPort?.postMessage(message);
  isAskedFor = true;
  return process.stdin;
}
