import { historyParts } from "../check/history-stream.ts";
import type { History, HistoryEvent, HistoryHeader } from "../core/history.ts";
import { historyInput } from "./history-input.ts";

/**
 * Reads a whole history from a file, or from standard input for `-`.
 * @throws UserError when it cannot be read, or is not a history: with the line that is wrong
 */
export async function readHistory(path: string): Promise<History> {
  const input = historyInput(path);
  let known: HistoryHeader | undefined;
  const all: HistoryEvent[][] = [];
  for await (const { header, events } of historyParts(input.chunks(), input.source, "jsonl")) {
    known = header;
    all.push([...events]);
  }
  if (known === undefined) throw new Error("there is always a part");
  return { header: known, events: all.flat() };
}
