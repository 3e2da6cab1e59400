import { fail } from "../../arguments.ts";
import { parseUnsigned } from "../../numbers/integers.ts";
import type { Reply } from "../../protocol/reply.ts";
import type { StreamEntry } from "../../keyspace/stream.ts";
import {
  FIRST_ID,
  formatId,
  LAST_ID,
  nextId,
  previousId,
  UINT64_MAX,
  type StreamId,
} from "../../keyspace/stream-id.ts";

export const INVALID_ID = "ERR Invalid stream ID specified as stream command argument";

/** Reads `5-3` or `5` (with the given sequence); undefined for text that is not an ID. */
export function parseId(text: string, missingSequence: bigint): StreamId | undefined {
  const dash = text.indexOf("-");
  const ms = parseUnsigned(dash < 0 ? text : text.slice(0, dash));
  const sequence = dash < 0 ? missingSequence : parseUnsigned(text.slice(dash + 1));
  return ms === undefined || sequence === undefined ? undefined : { ms, sequence };
}

/** An ID in full, or without its sequence, which is 0 then. */
export function strictId(text: string): StreamId {
  return parseId(text, 0n) ?? fail(INVALID_ID);
}

/** An ID, or `-` and `+` for the smallest and the largest. */
export function idArgument(text: string, missingSequence: bigint): StreamId {
  if (text === "-") return FIRST_ID;
  if (text === "+") return LAST_ID;
  return parseId(text, missingSequence) ?? fail(INVALID_ID);
}

/** The first ID of a range; `(` excludes the ID itself. */
export function lowerBound(text: string): StreamId {
  if (!text.startsWith("(") || text.length === 1) return idArgument(text, 0n);
  return nextId(strictId(text.slice(1))) ?? fail("ERR invalid start ID for the interval");
}

/** The last ID of a range; `(` excludes the ID itself. */
export function upperBound(text: string): StreamId {
  if (!text.startsWith("(") || text.length === 1) return idArgument(text, UINT64_MAX);
  const id = parseId(text.slice(1), UINT64_MAX) ?? fail(INVALID_ID);
  return previousId(id) ?? fail("ERR invalid end ID for the interval");
}

export function entryReply({ id, fields }: StreamEntry): Reply {
  return [formatId(id), fields];
}
