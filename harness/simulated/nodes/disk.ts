import type { Effect } from "../redis/effects.ts";
import type { RedisServer } from "../redis/server.ts";
import type { Snapshot } from "../redis/keyspace/snapshot.ts";

/** A place in the append-only file: everything before it can be synced. */
export interface DiskMark {
  readonly rewrites: number;
  readonly written: number;
}

/**
 * The part of a node that survives its process: an append-only file, as a base and the effects since, and a snapshot
 * made by SAVE. Written data survives a killed process, because the operating system has it; synced data survives a
 * power loss (Redis documentation, Redis persistence, "How durable is the append only file?").
 */
export class Disk {
  #base: Snapshot | undefined;
  #log: Effect[] = [];
  #rewrites = 0;
  #synced = 0;
  #saved: Snapshot | undefined;

  /** How many effects the append-only file contains beyond its base. */
  get written(): number {
    return this.#log.length;
  }

  /** How many effects a power loss would lose now. */
  get unsynced(): number {
    return this.#log.length - this.#synced;
  }

  /** The current end of the append-only file, for `sync`. */
  get end(): DiskMark {
    return { rewrites: this.#rewrites, written: this.#log.length };
  }

  append(effects: readonly Effect[]): void {
    for (const effect of effects) if (effect.toFile && effect.database !== -1) this.#log.push(effect);
  }

  /** Data before `mark` survives a power loss from now on. A file that was rewritten since was synced then. */
  sync(mark: DiskMark = this.end): void {
    if (mark.rewrites === this.#rewrites) this.#synced = Math.max(this.#synced, mark.written);
  }

  /** Starts the append-only file again from `snapshot`: a rewrite, or a full resynchronisation. It is synced. */
  rewrite(snapshot: Snapshot): void {
    this.#base = snapshot;
    this.#log = [];
    this.#synced = 0;
    this.#rewrites += 1;
  }

  /** SAVE. It is synced. */
  save(snapshot: Snapshot): void {
    this.#saved = snapshot;
  }

  /** The power is lost: unsynced effects are gone. Returns how many. */
  losePower(): number {
    const lost = this.unsynced;
    this.#log.length = this.#synced;
    return lost;
  }

  wipe(): void {
    this.#base = undefined;
    this.#saved = undefined;
    this.#log = [];
    this.#synced = 0;
    this.#rewrites += 1;
  }

  /**
   * Loads the data into a server that starts: from the append-only file where it is in use, or else from the snapshot.
   */
  load(server: RedisServer): void {
    const fromFile = server.config.enabled("appendonly");
    const base = fromFile ? this.#base : this.#saved;
    server.loading = true;
    if (base !== undefined) server.restore(base);
    if (fromFile && this.#log.length > 0) server.apply(this.#log);
    server.loading = false;
  }
}
