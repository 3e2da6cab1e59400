import { HistoryReader } from "./history-reader.ts";
import type { HistoryEnd, HistoryEvent, HistoryHeader } from "./history.ts";
import { EdnReader, looksLikeEdn } from "./edn/edn-reader.ts";
import { historyLines } from "./history-lines.ts";

/** The chunks that a file or standard input yields. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** `jsonl` is lockstorm's own format, `edn` Jepsen's; `auto` is the format of the first line that is not blank. */
export const HISTORY_FORMATS = ["auto", "jsonl", "edn"] as const;
export type HistoryFormat = (typeof HISTORY_FORMATS)[number];

/** Events in their order, as they came from one chunk. */
export interface HistoryPart {
  readonly header: HistoryHeader;
  readonly events: readonly HistoryEvent[];
  /** With the last part. */
  readonly ending?: HistoryEnd;
}

/**
 * Yields the events of a history while it is read: at least one part, even if there are no events. It keeps one chunk
 * and the open operations, never the history. Errors name the `source`.
 * @throws UserError naming the line that is not part of a history
 */
export async function* historyParts(
  chunks: Chunks,
  source: string,
  format: HistoryFormat = "auto",
): AsyncGenerator<HistoryPart> {
  const reader = new AnyReader(source, format);
  for await (const { lines, unterminated = false } of historyLines(chunks, source)) {
    const events = lines.flatMap((line) => reader.push(line, unterminated) ?? []);
    if (reader.header !== undefined) yield { header: reader.header, events };
  }
  yield { header: reader.end(), events: [], ending: reader.ending };
}

class AnyReader {
  readonly #source: string;
  readonly #format: HistoryFormat;
  #blank = 0;
  #reader: HistoryReader | EdnReader | undefined;

  constructor(source: string, format: HistoryFormat) {
    this.#source = source;
    this.#format = format;
  }

  get header(): HistoryHeader | undefined {
    return this.#reader?.header;
  }

  get ending(): HistoryEnd {
    return this.#reader instanceof HistoryReader ? this.#reader.ending : {};
  }

  push(line: string, unterminated: boolean): HistoryEvent | readonly HistoryEvent[] | undefined {
    if (this.#reader instanceof HistoryReader && unterminated) return this.#reader.pushUnterminated(line);
    if (this.#reader !== undefined) return this.#reader.push(line);
    if (line.trim() === "") {
      this.#blank += 1;
      return undefined;
    }
    const isEdn = this.#format === "auto" ? looksLikeEdn(line) : this.#format === "edn";
    this.#reader = isEdn ? new EdnReader(this.#source) : new HistoryReader(this.#source);
    // Lines are counted from the first, blank or not.
    for (let blank = 0; blank < this.#blank; blank += 1) this.#reader.push("");
    return this.#reader.push(line);
  }

  end(): HistoryHeader {
    return (this.#reader ?? new HistoryReader(this.#source)).end();
  }
}
