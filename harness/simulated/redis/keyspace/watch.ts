import type { Database } from "./database.ts";

/** A key that a connection watches for its next transaction. */
export interface Watch {
  readonly owner: { failTransaction(): void };
  /** True when the key had already expired, but still existed, when the watch began. */
  expired: boolean;
}

/** The keys that one connection watches. */
export class WatchedKeys {
  readonly #owner: Watch["owner"];
  readonly #watches = new Map<Database, Map<string, Watch>>();

  constructor(owner: Watch["owner"]) {
    this.#owner = owner;
  }

  get count(): number {
    let count = 0;
    for (const keys of this.#watches.values()) count += keys.size;
    return count;
  }

  add(database: Database, key: string): void {
    let keys = this.#watches.get(database);
    if (keys === undefined) this.#watches.set(database, (keys = new Map()));
    if (keys.has(key)) return;
    const watch: Watch = { owner: this.#owner, expired: database.isExpired(key) };
    keys.set(key, watch);
    const watching = database.watches.get(key);
    if (watching === undefined) database.watches.set(key, new Set([watch]));
    else watching.add(watch);
  }

  clear(): void {
    for (const [database, keys] of this.#watches) {
      for (const [key, watch] of keys) {
        const watching = database.watches.get(key);
        watching?.delete(watch);
        if (watching?.size === 0) database.watches.delete(key);
      }
    }
    this.#watches.clear();
  }

  /** True when a key that had not expired when it was watched has expired since, even if nobody has deleted it. */
  anyExpired(): boolean {
    for (const [database, keys] of this.#watches) {
      for (const [key, watch] of keys) if (!watch.expired && database.isExpired(key)) return true;
    }
    return false;
  }
}
