/** ID of a stream entry. Both parts are unsigned 64-bit numbers. */
export interface StreamId {
  readonly ms: bigint;
  readonly sequence: bigint;
}

export interface StreamEntry {
  readonly id: StreamId;
  /** Fields and values in turn. */
  readonly fields: readonly string[];
}

export const UINT64_MAX = 18446744073709551615n;
export const FIRST_ID: StreamId = { ms: 0n, sequence: 0n };
export const LAST_ID: StreamId = { ms: UINT64_MAX, sequence: UINT64_MAX };

/** A log of entries with growing IDs. */
export class Stream {
  entries: StreamEntry[] = [];
  lastId: StreamId = FIRST_ID;
  maxDeletedId: StreamId = FIRST_ID;
  entriesAdded = 0;

  add(entry: StreamEntry): void {
    this.entries.push(entry);
    this.lastId = entry.id;
    this.entriesAdded += 1;
  }

  /** Index of the first entry that is not before `id`. */
  indexOf(id: StreamId): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.entries[middle];
      if (entry !== undefined && compareIds(entry.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  delete(id: StreamId): boolean {
    const index = this.indexOf(id);
    const entry = this.entries[index];
    if (entry === undefined || compareIds(entry.id, id) !== 0) return false;
    this.entries.splice(index, 1);
    if (compareIds(id, this.maxDeletedId) > 0) this.maxDeletedId = id;
    return true;
  }

  clone(): Stream {
    const copy = new Stream();
    copy.entries = [...this.entries];
    copy.lastId = this.lastId;
    copy.maxDeletedId = this.maxDeletedId;
    copy.entriesAdded = this.entriesAdded;
    return copy;
  }

  size(): number {
    return this.entries.reduce(
      (sum, entry) => sum + entry.fields.reduce((length, field) => length + field.length, 16),
      0,
    );
  }
}

export function compareIds(a: StreamId, b: StreamId): number {
  if (a.ms !== b.ms) return a.ms < b.ms ? -1 : 1;
  if (a.sequence === b.sequence) return 0;
  return a.sequence < b.sequence ? -1 : 1;
}

export function formatId(id: StreamId): string {
  return `${id.ms}-${id.sequence}`;
}

/** The next greater ID, or undefined after the last. */
export function nextId(id: StreamId): StreamId | undefined {
  if (id.sequence < UINT64_MAX) return { ms: id.ms, sequence: id.sequence + 1n };
  return id.ms < UINT64_MAX ? { ms: id.ms + 1n, sequence: 0n } : undefined;
}

/** The next smaller ID, or undefined before the first. */
export function previousId(id: StreamId): StreamId | undefined {
  if (id.sequence > 0n) return { ms: id.ms, sequence: id.sequence - 1n };
  return id.ms > 0n ? { ms: id.ms - 1n, sequence: UINT64_MAX } : undefined;
}
