import type { HistoryEnd, HistoryEvent, HistoryHeader } from "../history/history.ts";
import type { Verdict } from "../core/verdict.ts";
import { HistoryChecker, type CheckOptions } from "./check.ts";
import { historyParts, type Chunks, type HistoryFormat } from "../history/history-stream.ts";
import { Turns } from "./evidence/pieces.ts";

export interface StreamOptions extends CheckOptions {
  /** `auto` when absent. */
  readonly format?: HistoryFormat;
  /** Called with the events of each chunk after they were judged, and awaited: a slow listener slows the reading. */
  readonly onEvents?: (events: readonly HistoryEvent[]) => Promise<void> | void;
}

export interface StreamedVerdict {
  readonly header: HistoryHeader;
  /** How many events the history has. */
  readonly events: number;
  readonly verdict: Verdict;
  readonly ending: HistoryEnd;
}

/**
 * Judges a history while it is read. It keeps what is open, never the history, so that a history may have any length.
 * @throws UserError naming the line that is not part of a history
 */
export async function checkStream(
  chunks: Chunks,
  source: string,
  options: StreamOptions = {},
): Promise<StreamedVerdict> {
  let judging: { readonly header: HistoryHeader; readonly checker: HistoryChecker } | undefined;
  const turns = new Turns();
  let count = 0;
  let known: HistoryEnd = {};
  for await (const { header, events, ending } of historyParts(chunks, source, options.format)) {
    judging ??= { header, checker: new HistoryChecker(header, options) };
    for (const event of events) {
      judging.checker.push(event);
      if (turns.isOver) await turns.pass();
    }
    count += events.length;
    known = ending ?? known;
    await options.onEvents?.(events);
  }
  if (judging === undefined) throw new Error("there is always a part");
  const verdict = await turns.take(judging.checker.finishing(known));
  return { header: judging.header, events: count, verdict, ending: known };
}
