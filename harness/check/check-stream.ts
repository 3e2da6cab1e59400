import { HistoryReader } from "../core/history-reader.ts";
import type { HistoryEvent, HistoryHeader } from "../core/history.ts";
import type { Verdict } from "../core/verdict.ts";
import { HistoryChecker, type CheckOptions } from "./check.ts";
import { EdnReader, looksLikeEdn } from "./edn-reader.ts";
import { historyLines } from "./history-lines.ts";

export interface StreamOptions extends CheckOptions {
  /** Called after each chunk with the number of events judged so far. */
  readonly onProgress?: (events: number) => void;
}

export interface StreamedVerdict {
  readonly header: HistoryHeader;
  readonly events: number;
  readonly verdict: Verdict;
}

/**
 * Judges a history while it is read, so that its length does not matter: what is kept is what is open, never the
 * history. `chunks` is whatever a file or standard input yields; `source` is what errors call it. A history of Jepsen's
 * (EDN) is told by its first line.
 * @throws UserError naming the line that is no part of a history
 */
export async function checkStream(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  source: string,
  options: StreamOptions = {},
): Promise<StreamedVerdict> {
  const reader = new AnyReader(source);
  let checker: HistoryChecker | undefined;
  let events = 0;
  for await (const lines of historyLines(chunks, source)) {
    for (const line of lines) {
      const read = reader.push(line);
      if (checker === undefined && reader.header !== undefined) checker = new HistoryChecker(reader.header, options);
      if (read === undefined) continue;
      for (const event of Array.isArray(read) ? read : [read]) {
        checker?.push(event);
        events += 1;
      }
    }
    options.onProgress?.(events);
  }
  const header = reader.end();
  return { header, events, verdict: (checker ?? new HistoryChecker(header, options)).finish() };
}

/** Reads lockstorm's own format or Jepsen's, whichever the first line that is not blank is in. */
class AnyReader {
  readonly #source: string;
  #blank = 0;
  #reader: HistoryReader | EdnReader | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  get header(): HistoryHeader | undefined {
    return this.#reader?.header;
  }

  push(line: string): HistoryEvent | readonly HistoryEvent[] | undefined {
    if (this.#reader !== undefined) return this.#reader.push(line);
    if (line.trim() === "") {
      this.#blank += 1;
      return undefined;
    }
    this.#reader = looksLikeEdn(line) ? new EdnReader(this.#source) : new HistoryReader(this.#source);
    // Lines are counted from the first, blank or not.
    for (let blank = 0; blank < this.#blank; blank += 1) this.#reader.push("");
    return this.#reader.push(line);
  }

  end(): HistoryHeader {
    return (this.#reader ?? new HistoryReader(this.#source)).end();
  }
}
