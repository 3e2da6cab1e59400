import type { Integer } from "../numbers/integers.ts";
import type { EventClass } from "../notifications.ts";
import type { StoredValue } from "./values.ts";
import type { Watch } from "./watch.ts";

/** Who changed a key: a command of a connection, or the server, because its time was over or memory was short. */
export type TouchedBy = "command" | "server";

/** What a database needs to know about its server. */
export interface DatabaseOwner {
  /** The server's wall clock in milliseconds, frozen while a command, transaction or script runs. */
  readonly nowMs: number;
  /** While data is being loaded nothing expires. */
  readonly loading: boolean;
  /** A replica hides expired keys, but leaves their deletion to its master. */
  readonly isReplica: boolean;
  /** True while a command of the master is being applied: then nothing is expired. */
  readonly obeysMaster: boolean;
  /** True on a replica that takes writes: there, writing deletes expired keys. */
  readonly isWritableReplica: boolean;
  /** True while clients are paused: expired keys are hidden, but stay. */
  readonly expiryPaused: boolean;
  /** False while a connection runs that asked for its accesses not to be counted. */
  readonly touches: boolean;
  notify(kind: EventClass, event: string, key: string, database: number): void;
  /** A key was created. */
  keyAdded(database: Database, key: string, value: StoredValue): void;
  /** A stream is gone from its key: deleted, or replaced by another value. */
  streamRemoved(database: Database, key: string): void;
  /** A key was changed by a command, or deleted by the server itself. */
  keyTouched(key: string, by: TouchedBy): void;
  /** Makes replicas and the append-only file delete a key that this server deleted by itself. */
  propagateDeletion(database: number, key: string): void;
  countLookup(hit: boolean): void;
  countExpired(): void;
}

/** A key's place in the database. */
export interface Slot {
  value: StoredValue;
  /** Grows with each new key: the cursor of SCAN. */
  readonly order: number;
  usedAtMs: number;
  uses: number;
}

/** Whether a key may be used, is to be hidden, or was just deleted because it had expired. */
export type Expiry = "valid" | "expired" | "deleted";

/** One numbered database: keys, values and when they expire. */
export class Database {
  readonly id: number;
  slots = new Map<string, Slot>();
  /** Absolute expiry in milliseconds of Unix time, of those keys that have one. */
  expires = new Map<string, Integer>();
  /** False while no hash here ever had a field that expires. */
  mayHaveExpiringFields = false;
  readonly watches = new Map<string, Set<Watch>>();
  readonly #owner: DatabaseOwner;
  #nextOrder = 1;

  constructor(id: number, owner: DatabaseOwner) {
    this.id = id;
    this.#owner = owner;
  }

  /** The value for reading; an expired key is absent. Publishes a miss. */
  read(key: string): StoredValue | undefined {
    const value = this.peek(key);
    this.#owner.countLookup(value !== undefined);
    if (value === undefined) this.notify("m", "keymiss", key);
    else this.#touch(key);
    return value;
  }

  /** As `read`, but without counting it as a use of the key. */
  readWithoutTouch(key: string): StoredValue | undefined {
    const value = this.peek(key);
    this.#owner.countLookup(value !== undefined);
    if (value === undefined) this.notify("m", "keymiss", key);
    return value;
  }

  /** The value for changing; an expired key is absent. */
  write(key: string): StoredValue | undefined {
    const force = !this.#owner.isReplica || this.#owner.isWritableReplica;
    if (this.expireIfNeeded(key, force) !== "valid") return undefined;
    const slot = this.slots.get(key);
    if (slot !== undefined) this.#touch(key);
    return slot?.value;
  }

  /** The value without the side effects of a look-up, except expiry. */
  peek(key: string): StoredValue | undefined {
    return this.expireIfNeeded(key, false) === "valid" ? this.slots.get(key)?.value : undefined;
  }

  /**
   * True when the key's time is over, whether or not the key still exists. It is valid through its last millisecond.
   */
  isExpired(key: string): boolean {
    const when = this.expires.get(key);
    return when !== undefined && !this.#owner.loading && this.#owner.nowMs > when;
  }

  /** Deletes the key if it has expired and this server may do so. `force` is for writing, on a writable replica. */
  expireIfNeeded(key: string, force: boolean): Expiry {
    if (!this.isExpired(key)) return "valid";
    if (this.#owner.isReplica) {
      if (this.#owner.obeysMaster) return "valid";
      if (!force) return "expired";
    }
    if (this.#owner.expiryPaused) return "expired";
    this.expire(key);
    return "deleted";
  }

  /** Deletes a key because its time is over, and reports the deletion. */
  expire(key: string): void {
    this.delete(key);
    this.notify("x", "expired", key);
    this.touched(key, "server");
    this.#owner.countExpired();
    this.#owner.propagateDeletion(this.id, key);
  }

  /** Deletes a key because memory is short, and reports the deletion. */
  evict(key: string): void {
    this.delete(key);
    this.notify("e", "evicted", key);
    this.touched(key, "server");
    this.#owner.propagateDeletion(this.id, key);
  }

  /** Creates a key that does not exist. */
  add(key: string, value: StoredValue): void {
    this.slots.set(key, { value, order: this.#nextOrder, usedAtMs: this.#owner.nowMs, uses: 5 });
    this.#nextOrder += 1;
    if (value.type === "hash" && value.expires.size > 0) this.mayHaveExpiringFields = true;
    this.#owner.keyAdded(this, key, value);
    this.notify("n", "new", key);
  }

  /**
   * Stores a value under a key, new or not, drops its expiry unless that is kept, and marks the key for connections
   * that watch it.
   */
  set(key: string, value: StoredValue, keepExpiry = false): void {
    // A look-up for writing first expires the old value, if its time was over.
    this.write(key);
    const slot = this.slots.get(key);
    if (slot === undefined) this.add(key, value);
    else {
      if (slot.value.type === "stream") this.#owner.streamRemoved(this, key);
      slot.value = value;
    }
    if (!keepExpiry) this.expires.delete(key);
    this.touched(key);
  }

  /** Removes a key and its expiry without reporting it. */
  delete(key: string): boolean {
    this.expires.delete(key);
    if (this.slots.get(key)?.value.type === "stream") this.#owner.streamRemoved(this, key);
    return this.slots.delete(key);
  }

  /** The key was changed: transactions that watch it will fail, and those who may have it in a cache are told. */
  touched(key: string, by: TouchedBy = "command"): void {
    this.#owner.keyTouched(key, by);
    const watching = this.watches.get(key);
    if (watching === undefined) return;
    for (const watch of watching) {
      if (watch.expired) {
        // It had already expired when it was watched, so its deletion is no change.
        if (this.slots.has(key)) break;
        watch.expired = false;
        continue;
      }
      watch.owner.failTransaction();
    }
  }

  notify(kind: EventClass, event: string, key: string): void {
    this.#owner.notify(kind, event, key, this.id);
  }

  /** Removes everything; returns how many keys there were. */
  clear(): number {
    const count = this.slots.size;
    touchAll(this, undefined);
    for (const [key, { value }] of this.slots) if (value.type === "stream") this.#owner.streamRemoved(this, key);
    this.slots.clear();
    this.expires.clear();
    return count;
  }

  /** Exchanges the contents, not the watches, of two databases. */
  swap(other: Database): void {
    touchAll(this, other);
    touchAll(other, this);
    this.#signalStreamsWithout(other);
    other.#signalStreamsWithout(this);
    [this.slots, other.slots] = [other.slots, this.slots];
    [this.expires, other.expires] = [other.expires, this.expires];
    const may = this.mayHaveExpiringFields || other.mayHaveExpiringFields;
    this.mayHaveExpiringFields = may;
    other.mayHaveExpiringFields = may;
    const next = Math.max(this.#nextOrder, other.#nextOrder);
    this.#nextOrder = next;
    other.#nextOrder = next;
  }

  /** The other database's contents will take the place of these. */
  #signalStreamsWithout(other: Database): void {
    for (const [key, { value }] of this.slots) {
      if (value.type === "stream" && other.slots.get(key)?.value.type !== "stream")
        this.#owner.streamRemoved(this, key);
    }
  }

  #touch(key: string): void {
    if (!this.#owner.touches) return;
    const slot = this.slots.get(key);
    if (slot === undefined) return;
    slot.usedAtMs = this.#owner.nowMs;
    slot.uses += 1;
  }
}

/** Marks watched keys that vanish, or appear with `replacement`'s contents, as changed. */
function touchAll(emptied: Database, replacement: Database | undefined): void {
  for (const [key, watching] of emptied.watches) {
    const existed = emptied.slots.has(key);
    const appears = replacement?.slots.has(key) === true;
    if (!existed && !appears) continue;
    const appearsExpired = replacement?.isExpired(key) === true;
    for (const watch of watching) {
      if (watch.expired) {
        if (!appears) {
          watch.expired = false;
          continue;
        }
        if (appearsExpired) continue;
      } else if (!existed && appearsExpired) {
        watch.expired = true;
        continue;
      }
      watch.owner.failTransaction();
    }
  }
}
