import type { HistoryEvent, HistoryHeader } from "../core/history.ts";
import type { Verdict } from "../core/verdict.ts";
import { HistoryChecker, type CheckOptions } from "./check.ts";
import { historyParts, type Chunks, type HistoryFormat } from "./history-stream.ts";

export interface StreamOptions extends CheckOptions {
  /** `auto` when absent. */
  readonly format?: HistoryFormat;
  /**
   * Called with the events of each chunk after they were judged, and awaited: who writes them elsewhere holds up the
   * reading.
   */
  readonly onEvents?: (events: readonly HistoryEvent[]) => Promise<void> | void;
}

export interface StreamedVerdict {
  readonly header: HistoryHeader;
  /** How many events the history has. */
  readonly events: number;
  readonly verdict: Verdict;
}

/**
 * Judges a history while it is read, so that its length does not matter: what is kept is what is open, never the
 * history.
 * @throws UserError naming the line that is no part of a history
 */
export async function checkStream(
  chunks: Chunks,
  source: string,
  options: StreamOptions = {},
): Promise<StreamedVerdict> {
  let judging: { readonly header: HistoryHeader; readonly checker: HistoryChecker } | undefined;
  let count = 0;
  for await (const { header, events } of historyParts(chunks, source, options.format)) {
    judging ??= { header, checker: new HistoryChecker(header, options) };
    for (const event of events) judging.checker.push(event);
    count += events.length;
    await options.onEvents?.(events);
  }
  if (judging === undefined) throw new Error("there is always a part");
  return { header: judging.header, events: count, verdict: judging.checker.finish() };
}
