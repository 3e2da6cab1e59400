import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { messageOf, UserError } from "../core/errors.ts";
import { HistoryReader } from "../core/history-reader.ts";
import type { History, HistoryEvent } from "../core/history.ts";

/** The name under which a history comes from standard input. */
export const STANDARD_INPUT = "-";

/**
 * Reads a history from a file, or from standard input for `-`.
 * @throws UserError when it cannot be read, or is not a history: with the line that is wrong
 */
export async function readHistory(path: string): Promise<History> {
  const reader = new HistoryReader(path === STANDARD_INPUT ? "standard input" : path);
  const input = path === STANDARD_INPUT ? process.stdin : createReadStream(path);
  const events: HistoryEvent[] = [];
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const event = reader.push(line);
      if (event !== undefined) events.push(event);
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const mend = "give a history.jsonl, or - for standard input";
    throw new UserError(`${path} cannot be read: ${whyUnreadable(error)}`, mend, { cause: error });
  }
  return { header: reader.end(), events };
}

/** The reason in plain words; the system's own repeats the path. */
function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  return messageOf(error);
}
