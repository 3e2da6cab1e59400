import { TextDecoder } from "node:util";
import { UserError } from "../core/errors.ts";

/** No line of a history is this long; a file without line feeds is something else. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines, without their line feeds, however they arrive. A last line without a line feed counts.
 * @throws UserError naming the source and the line, when a line is not UTF-8 or longer than 16 MiB
 */
export async function* historyLines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  source: string,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let rest: Uint8Array = new Uint8Array();
  let lines = 0;
  for await (const chunk of chunks) {
    const bytes = joined(rest, typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    const end = bytes.lastIndexOf(LINE_FEED);
    rest = bytes.subarray(end + 1);
    if (rest.length > MAX_LINE_BYTES) throw tooLong(source, lines + count(bytes.subarray(0, end + 1)) + 1);
    if (end < 0) continue;
    const complete = decode(decoder, bytes.subarray(0, end), source, lines).split("\n");
    lines += complete.length;
    yield complete;
  }
  if (rest.length > 0) yield [decode(decoder, rest, source, lines)];
}

function joined(rest: Uint8Array, chunk: Uint8Array): Uint8Array {
  return rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
}

function decode(decoder: TextDecoder, bytes: Uint8Array, source: string, linesBefore: number): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new UserError(
      `${source}, line ${linesBefore + firstUndecodable(bytes)}: not UTF-8`,
      "give a history in lockstorm's format: JSON lines in UTF-8",
    );
  }
}

/** Which of the lines in these bytes is the first that is not UTF-8, counted from 1. */
function firstUndecodable(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let from = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf(LINE_FEED, from);
    try {
      decoder.decode(bytes.subarray(from, end < 0 ? bytes.length : end));
    } catch {
      return line;
    }
    if (end < 0) return line;
    from = end + 1;
  }
}

function count(bytes: Uint8Array): number {
  let feeds = 0;
  for (const byte of bytes) if (byte === LINE_FEED) feeds += 1;
  return feeds;
}

function tooLong(source: string, line: number): UserError {
  const limit = `${MAX_LINE_BYTES / 1024 / 1024} MiB`;
  return new UserError(`${source}, line ${line}: longer than ${limit}`, "give a history in lockstorm's format");
}
