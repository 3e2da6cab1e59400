import { historyParts } from "../history/history-stream.ts";
import type { History, HistoryEnd, HistoryEvent, HistoryHeader } from "../history/history.ts";
import { fileInput } from "./history-input.ts";

/**
 * Reads a whole history from a file.
 * @throws UserError when it cannot be read, or is not a history: with the line that is wrong
 */
export async function readHistory(path: string): Promise<History> {
  const input = fileInput(path);
  let known: HistoryHeader | undefined;
  let end: HistoryEnd = {};
  const all: HistoryEvent[][] = [];
  for await (const { header, events, ending } of historyParts(input.chunks(), input.source, "jsonl")) {
    known = header;
    end = ending ?? end;
    all.push([...events]);
  }
  if (known === undefined) throw new Error("there is always a part");
  return { header: known, events: all.flat(), ...end };
}
