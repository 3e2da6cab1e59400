import { TextDecoder } from "node:util";
import { UserError } from "../core/errors.ts";

/** No line of a history is this long: a file without line feeds is not a history. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;
/** What a file begins with that gzip made. No line of UTF-8 does. */
const GZIP = [0x1f, 0x8b];
/** What a file begins with that is UTF-16, with a byte order mark; without one, every second byte of `{` is zero. */
const UTF_16 = [
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0x7b, 0x00],
  [0x00, 0x7b],
];
/**
 * A byte order mark counts only at the very beginning, and a decoder that is called for each chunk does not know where
 * that is.
 */
const KEEP_ALL = { fatal: true, ignoreBOM: true };

/** Lines that came together, without their line feeds. */
export interface HistoryLines {
  readonly lines: readonly string[];
  /** The one line is the last of the history and has no line feed. */
  readonly unterminated?: true;
}

/**
 * Splits bytes into lines, however they are divided into chunks. A last line without a line feed counts; if it is cut
 * within a character, U+FFFD stands for that character.
 * @throws UserError naming the source and the line, when a line is not UTF-8 or longer than 16 MiB; or when gzip made it
 */
export async function* historyLines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  source: string,
): AsyncGenerator<HistoryLines> {
  const decoder = new TextDecoder("utf-8", KEEP_ALL);
  let rest: Uint8Array = new Uint8Array();
  let before = 0;
  for await (const chunk of chunks) {
    const bytes = joined(rest, typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    if (before === 0 && GZIP.every((byte, at) => bytes[at] === byte)) {
      throw new UserError(`${source}: compressed with gzip`, "unpack it first: gzip -dc <file> | lockstorm check -");
    }
    if (before === 0 && UTF_16.some((mark) => mark.every((byte, at) => bytes[at] === byte))) {
      throw new UserError(
        `${source}: UTF-16`,
        "convert it to UTF-8: iconv -f utf-16 -t utf-8 <file> | lockstorm check -",
      );
    }
    const end = bytes.lastIndexOf(LINE_FEED);
    rest = bytes.subarray(end + 1);
    if (end >= 0) {
      const complete = decode(decoder, bytes.subarray(0, end));
      yield { lines: before === 0 ? withoutMark(complete.lines) : complete.lines };
      before += complete.lines.length;
      if (complete.broken) throw notUtf8(source, before + 1);
    }
    if (rest.length > MAX_LINE_BYTES) throw tooLong(source, before + 1);
  }
  if (rest.length === 0) return;
  const last = decodeLast(rest);
  if (last === undefined) throw notUtf8(source, before + 1);
  yield { lines: before === 0 ? withoutMark([last]) : [last], unterminated: true };
}

/** A line that may be cut within a character; undefined when it is not UTF-8 before that. */
function decodeLast(bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder("utf-8", KEEP_ALL);
  let text: string;
  try {
    text = decoder.decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
  try {
    return text + decoder.decode();
  } catch {
    return `${text}\uFFFD`;
  }
}

function withoutMark(lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => (at === 0 ? line.replace(/^\uFEFF/, "") : line));
}

function joined(rest: Uint8Array, chunk: Uint8Array): Uint8Array {
  return rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
}

/** The lines up to the first that is not UTF-8: an error in an earlier line is reported first. */
function decode(
  decoder: TextDecoder,
  bytes: Uint8Array,
): { readonly lines: readonly string[]; readonly broken: boolean } {
  try {
    return { lines: decoder.decode(bytes).split("\n"), broken: false };
  } catch {
    return { lines: decodable(bytes), broken: true };
  }
}

function decodable(bytes: Uint8Array): readonly string[] {
  const decoder = new TextDecoder("utf-8", KEEP_ALL);
  const lines: string[] = [];
  for (let from = 0; ;) {
    const end = bytes.indexOf(LINE_FEED, from);
    try {
      lines.push(decoder.decode(bytes.subarray(from, end < 0 ? bytes.length : end)));
    } catch {
      return lines;
    }
    from = end + 1;
  }
}

function notUtf8(source: string, line: number): UserError {
  const hint = "give a history in lockstorm's format: JSON lines in UTF-8";
  return new UserError(`${source}, line ${line}: not UTF-8`, hint);
}

function tooLong(source: string, line: number): UserError {
  const limit = `${MAX_LINE_BYTES / 1024 / 1024} MiB`;
  return new UserError(`${source}, line ${line}: longer than ${limit}`, "give a history in lockstorm's format");
}
