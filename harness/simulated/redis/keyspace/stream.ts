import type { ConsumerGroup } from "./consumer-group.ts";
import { compareIds, FIRST_ID, type StreamId } from "./stream-id.ts";

export interface StreamEntry {
  readonly id: StreamId;
  /** Fields and values in turn. */
  readonly fields: readonly string[];
}

/** A log of entries with growing IDs. */
export class Stream {
  entries: StreamEntry[] = [];
  lastId: StreamId = FIRST_ID;
  maxDeletedId: StreamId = FIRST_ID;
  /** How many entries were ever added: an unsigned 64-bit number. */
  entriesAdded = 0n;
  readonly groups = new Map<string, ConsumerGroup>();

  /** The ID of the first entry there is, 0-0 when there is none. */
  get firstId(): StreamId {
    return this.entries[0]?.id ?? FIRST_ID;
  }

  add(entry: StreamEntry): void {
    this.entries.push(entry);
    this.lastId = entry.id;
    this.entriesAdded += 1n;
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

  get(id: StreamId): StreamEntry | undefined {
    const entry = this.entries[this.indexOf(id)];
    return entry !== undefined && compareIds(entry.id, id) === 0 ? entry : undefined;
  }

  delete(id: StreamId): boolean {
    if (this.get(id) === undefined) return false;
    this.entries.splice(this.indexOf(id), 1);
    if (compareIds(id, this.maxDeletedId) > 0) this.maxDeletedId = id;
    return true;
  }

  clone(): Stream {
    const copy = new Stream();
    copy.entries = [...this.entries];
    copy.lastId = this.lastId;
    copy.maxDeletedId = this.maxDeletedId;
    copy.entriesAdded = this.entriesAdded;
    for (const [name, group] of this.groups) copy.groups.set(name, group.clone());
    return copy;
  }

  size(): number {
    const groups = [...this.groups.values()].reduce((sum, group) => sum + group.size(), 0);
    return this.entries.reduce(
      (sum, entry) => sum + entry.fields.reduce((length, field) => length + field.length, 16),
      groups,
    );
  }
}
