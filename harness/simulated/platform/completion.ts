import type { Host } from "../kernel/host.ts";
import { inCallersContext } from "./async-context.ts";

/**
 * Does the work now, and settles the promise with the result at the same virtual instant, in a separate event: for work
 * that Node does in a thread of its pool.
 */
export function completesNow<T>(host: Host, work: () => T): Promise<T> {
  const outcome = Promise.withResolvers<T>();
  let end: () => void;
  try {
    const value = work();
    end = () => outcome.resolve(value);
  } catch (error) {
    end = () => outcome.reject(error);
  }
  host.post("completion", end);
  return outcome.promise;
}

/**
 * Does the work now, and passes the result to the callback, the last of the arguments, at the same virtual instant.
 * @param work gets the arguments before the callback, and returns what the callback gets after the error
 * @throws errors of the work about its arguments: Node throws those at once, too
 */
export function callsBackNow(
  host: Host,
  args: readonly unknown[],
  work: (given: unknown[]) => readonly unknown[],
): undefined {
  const callback = args.at(-1);
  if (typeof callback !== "function") throw new TypeError('The "callback" argument must be of type function');
  let outcome: readonly unknown[];
  try {
    outcome = [null, ...work(args.slice(0, -1))];
  } catch (error) {
    if (isMisuse(error)) throw error;
    outcome = [error];
  }
  host.post(
    "completion",
    inCallersContext(() => void Reflect.apply(callback, undefined, outcome)),
  );
}

function isMisuse(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_INVALID_ARG");
}
