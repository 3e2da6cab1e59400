import { messageOf } from "./errors.ts";

/** A client process that ended on an uncaught error of the lock or its driver. */
export interface Crash {
  /** On one line: `unhandledRejection: Error: no connection`. */
  readonly evidence: string;
  /** The places in the code that led there, the innermost first; empty if none is known. */
  readonly stack: readonly string[];
}

/** Places in Node, or in the code that runs the lock. */
const OF_NODE_OR_OURS = /node:|\/harness\/(?:simulated\/|external\/|client\/(?:client-program|fake-timers|worker)\.)/;
const MOST_LETTERS = 500;
const MOST_PLACES = 12;

/**
 * What to record of a crash.
 * @param during `uncaughtException`, `unhandledRejection`, or another word for what failed
 */
export function crashOf(during: string, error: unknown): Crash {
  const kind = error instanceof Error && error.name !== "" ? `${error.name}: ` : "";
  const words = `${during}: ${kind}${messageOf(error)}`;
  return {
    evidence: words.length <= MOST_LETTERS ? words : `${words.slice(0, MOST_LETTERS)}...`,
    stack: placesOf(error).slice(0, MOST_PLACES),
  };
}

/**
 * The message of an error, and of a mistake in code (`x is not a function`), which says nothing by itself, the place in
 * the code of the lock or its driver: `x is not a function (connect (file:///home/me/driver.mts:7:15))`.
 */
export function messageWithPlace(error: unknown): string {
  const message = messageOf(error);
  const isCodeMistake = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  const [place] = isCodeMistake ? placesOf(error) : [];
  return place === undefined ? message : `${message} (${place})`;
}

/** The lines of the stack that name a place in the code of the lock or its driver. */
function placesOf(error: unknown): readonly string[] {
  const stack: unknown = error instanceof Error ? error.stack : undefined;
  if (typeof stack !== "string") return [];
  return stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at ") && !OF_NODE_OR_OURS.test(line))
    .map((line) => line.slice("at ".length, MOST_LETTERS));
}
