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

/** The number of lines within which the format of a history shows. */
const MOST_HELD = 1000;

class AnyReader {
  readonly #source: string;
  readonly #format: HistoryFormat;
  /** Blank lines, and brackets on lines of their own: JSON and EDN have both. */
  readonly #held: string[] = [];
  #reader: HistoryReader | EdnReader | undefined;

  constructor(source: string, format: HistoryFormat) {
    this.#source = source;
    this.#format = format;
  }

  get header(): HistoryHeader | undefined {
    return this.#reader?.header;
  }

  get ending(): HistoryEnd {
    return this.#reader?.ending ?? {};
  }

  push(line: string, unterminated: boolean): HistoryEvent | readonly HistoryEvent[] | undefined {
    if (this.#reader === undefined && this.#held.length < MOST_HELD && /^[\s[({]*$/.test(line)) {
      this.#held.push(line);
      return undefined;
    }
    const reader = this.#reader ?? this.#begin(line);
    return unterminated ? reader.pushUnterminated(line) : reader.push(line);
  }

  end(): HistoryHeader {
    return (this.#reader ?? this.#begin("")).end();
  }

  #begin(line: string): HistoryReader | EdnReader {
    const isEdn = this.#format === "auto" ? looksLikeEdn([...this.#held, line].join(" ")) : this.#format === "edn";
    const reader = isEdn ? new EdnReader(this.#source) : new HistoryReader(this.#source);
    this.#reader = reader;
    // Lines are counted from the first, blank or not.
    for (const held of this.#held) reader.push(held);
    return reader;
  }
}
