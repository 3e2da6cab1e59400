import { fileURLToPath } from "node:url";
import { HarnessError, messageOf, UserError } from "../core/errors.ts";

const PROJECT = new URL("../../", import.meta.url).href;
const PLACE = /(file:\/\/[^\s)]+?):(\d+):(\d+)\)?$/gm;

/** A line of a file in a stack. */
interface Place {
  readonly file: string;
  readonly line: string;
}

/**
 * An error of the user's own code, a driver or a configuration, as a `UserError` that names the file and line; any other
 * error as it is. Libraries are passed over: what counts is who called them.
 */
export function ownedError(error: unknown): unknown {
  const places = placesOf(error);
  if (error instanceof UserError || error instanceof HarnessError) return error;
  const caller = places.find(({ file }) => !file.includes("/node_modules/")) ?? places[0];
  if (caller === undefined || isOurs(caller)) return error;
  return asUserError(caller, "threw", error);
}

/**
 * The same for an error that nobody awaited. One from a library alone, as from its socket's events, is that library's.
 */
export function ownedUnawaited(error: unknown): unknown {
  const [place] = placesOf(error);
  if (error instanceof UserError || error instanceof HarnessError) return error;
  if (place === undefined || (isOurs(place) && !place.file.includes("/node_modules/"))) return error;
  return asUserError(place, "threw, or rejected a promise, while nobody waited for it", error);
}

function asUserError({ file, line }: Place, what: string, cause: unknown): UserError {
  const problem = `${fileURLToPath(file)}:${line} ${what}: ${messageOf(cause)}`;
  return new UserError(problem, "fix the driver, or what it imports", { cause });
}

function placesOf(error: unknown): readonly Place[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [...stack.matchAll(PLACE)].map(([, file = "", line = ""]) => ({ file, line }));
}

function isOurs({ file }: Place): boolean {
  return file.startsWith(PROJECT);
}
