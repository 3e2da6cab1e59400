import type { ConsumerGroup } from "./consumer-group.ts";
import type { Stream } from "./stream.ts";
import { compareIds, FIRST_ID, type StreamId } from "./stream-id.ts";

/** Whether an entry was deleted among those from this ID on, so that counting by IDs would be wrong. */
function hasGapFrom(stream: Stream, id: StreamId): boolean {
  if (stream.entries.length === 0 || compareIds(stream.maxDeletedId, FIRST_ID) === 0) return false;
  return compareIds(id, stream.maxDeletedId) <= 0;
}

/** As 7.0 had it: a gap before the first entry that is left is none. */
function hasGapFromOld(stream: Stream, id: StreamId): boolean {
  return compareIds(stream.firstId, stream.maxDeletedId) <= 0 && hasGapFrom(stream, id);
}

/** How many entries had been added when the entry with this ID was; undefined when that cannot be known. */
function readsUpTo(stream: Stream, id: StreamId, isModern: boolean): bigint | undefined {
  const { entriesAdded, lastId, firstId, maxDeletedId } = stream;
  const length = BigInt(stream.entries.length);
  if (entriesAdded === 0n) return 0n;
  const toLast = compareIds(id, lastId);
  if (length === 0n && toLast <= 0) return entriesAdded;
  if (isModern && compareIds(id, FIRST_ID) !== 0 && compareIds(id, maxDeletedId) < 0) return undefined;
  if (toLast === 0) return entriesAdded;
  if (toLast > 0) return undefined;
  const isWhole = compareIds(maxDeletedId, FIRST_ID) === 0 || compareIds(maxDeletedId, firstId) < 0;
  const toFirst = compareIds(id, firstId);
  if (!isWhole || toFirst > 0) return undefined;
  return entriesAdded - length + (toFirst === 0 ? 1n : 0n);
}

/** Counts an entry that the group has just been given, and makes it the group's last one. */
export function advance(stream: Stream, group: ConsumerGroup, id: StreamId, isModern: boolean): void {
  const hasGap = isModern
    ? compareIds(group.lastId, stream.firstId) < 0 || hasGapFrom(stream, group.lastId)
    : hasGapFromOld(stream, id);
  if (group.entriesRead !== undefined && !hasGap) group.entriesRead += 1n;
  else if (stream.entriesAdded !== 0n) group.entriesRead = readsUpTo(stream, id, isModern);
  group.lastId = id;
}

/** How many entries the group was not given yet; undefined when that cannot be known. */
export function lagOf(stream: Stream, group: ConsumerGroup, isModern: boolean): bigint | undefined {
  const { entriesAdded, firstId, maxDeletedId } = stream;
  if (entriesAdded === 0n) return 0n;
  if (isModern) {
    if (stream.entries.length === 0) return 0n;
    if (compareIds(group.lastId, firstId) < 0 && compareIds(maxDeletedId, firstId) < 0) {
      return BigInt(stream.entries.length);
    }
  }
  const hasGap = isModern ? hasGapFrom(stream, group.lastId) : hasGapFromOld(stream, group.lastId);
  const read =
    group.entriesRead !== undefined && !hasGap ? group.entriesRead : readsUpTo(stream, group.lastId, isModern);
  return read === undefined ? undefined : BigInt.asIntN(64, entriesAdded - read);
}
