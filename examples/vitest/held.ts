/** A lock that is held. */
export interface Held {
  /** The value under which it is held. */
  readonly owner: string;
  /** For how long from now it may be relied on; absent where the lock does not say. */
  readonly validForMs?: number;
}

/** What the locks of this project have in common. */
export interface Lock {
  lock(key: string, ttlMs: number): Promise<Held | undefined>;
  unlock(key: string, owner: string): Promise<boolean>;
}
