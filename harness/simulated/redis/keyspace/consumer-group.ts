import { compareIds, type StreamId } from "./stream-id.ts";

/** A reader of a group. Times are in milliseconds of Unix time. */
export interface Consumer {
  readonly name: string;
  readonly pending: PendingEntries;
  /** When it last asked for anything. */
  seenAtMs: number;
  /** When it was last given an entry; -1: never. */
  activeAtMs: number;
}

/** An entry that was delivered to a consumer and not acknowledged. */
export interface PendingEntry {
  readonly id: StreamId;
  consumer: Consumer;
  deliveredAtMs: number;
  deliveries: bigint;
}

/** Pending entries in the order of their IDs. */
class PendingEntries {
  readonly #entries: PendingEntry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  all(): readonly PendingEntry[] {
    return this.#entries;
  }

  /** Those from this ID on. */
  from(id: StreamId): readonly PendingEntry[] {
    return this.#entries.slice(this.#indexOf(id));
  }

  get(id: StreamId): PendingEntry | undefined {
    const entry = this.#entries[this.#indexOf(id)];
    return entry !== undefined && compareIds(entry.id, id) === 0 ? entry : undefined;
  }

  add(entry: PendingEntry): void {
    this.#entries.splice(this.#indexOf(entry.id), 0, entry);
  }

  delete(id: StreamId): void {
    if (this.get(id) !== undefined) this.#entries.splice(this.#indexOf(id), 1);
  }

  /** Index of the first entry that is not before `id`. */
  #indexOf(id: StreamId): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && compareIds(entry.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Consumers that share the entries of a stream: each entry is delivered to one of them. */
export class ConsumerGroup {
  /** The last entry that was delivered. */
  lastId: StreamId;
  /** How many entries of the stream's were read up to `lastId`; undefined when that cannot be known. */
  entriesRead: bigint | undefined;
  readonly pending = new PendingEntries();
  readonly consumers = new Map<string, Consumer>();

  constructor(lastId: StreamId, entriesRead: bigint | undefined) {
    this.lastId = lastId;
    this.entriesRead = entriesRead;
  }

  addConsumer(name: string, nowMs: number): Consumer {
    const consumer: Consumer = { name, pending: new PendingEntries(), seenAtMs: nowMs, activeAtMs: -1 };
    this.consumers.set(name, consumer);
    return consumer;
  }

  /** Removes a consumer; its pending entries are forgotten. */
  deleteConsumer(consumer: Consumer): void {
    for (const { id } of consumer.pending.all()) this.pending.delete(id);
    this.consumers.delete(consumer.name);
  }

  /** Makes an entry pending for a consumer, whoever it was pending for before. */
  assign(id: StreamId, consumer: Consumer, deliveredAtMs: number, deliveries: bigint): PendingEntry {
    this.acknowledge(id);
    const entry = { id, consumer, deliveredAtMs, deliveries };
    this.pending.add(entry);
    consumer.pending.add(entry);
    return entry;
  }

  /** Ends that an entry is pending; false if it was not. */
  acknowledge(id: StreamId): boolean {
    const entry = this.pending.get(id);
    if (entry === undefined) return false;
    this.pending.delete(id);
    entry.consumer.pending.delete(id);
    return true;
  }

  clone(): ConsumerGroup {
    const copy = new ConsumerGroup(this.lastId, this.entriesRead);
    for (const { name, seenAtMs, activeAtMs } of this.consumers.values()) {
      copy.addConsumer(name, seenAtMs).activeAtMs = activeAtMs;
    }
    for (const { id, consumer, deliveredAtMs, deliveries } of this.pending.all()) {
      const owner = copy.consumers.get(consumer.name);
      if (owner !== undefined) copy.assign(id, owner, deliveredAtMs, deliveries);
    }
    return copy;
  }

  size(): number {
    return 100 * this.consumers.size + 80 * this.pending.size;
  }
}

/** In the order in which replies list groups and consumers: by their names' bytes. */
export function byName<T>(named: ReadonlyMap<string, T>): readonly (readonly [name: string, value: T])[] {
  return [...named].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
