/** A caller in this process that waits for a key. */
export interface LocalWaiter<T> {
  /** What the previous holder passed on; undefined: the caller must contend for the lock itself. */
  readonly turn: Promise<T | undefined>;
  /** Stops waiting. True when the turn had not come. */
  leave(): boolean;
}

/**
 * One queue per key, first come first served: at most one waiter of a process contends for a key at the servers
 * (singleflight), and a holder can leave its lock to the next in the queue (local handoff).
 */
export class LocalQueue<T, Wish> {
  readonly #queues = new Map<string, { readonly wish: Wish; readonly begin: (left: T | undefined) => void }[]>();

  /**
   * Joins the queue of a key, saying what it will want of the lock. A caller that finds the queue empty has its turn at
   * once.
   */
  join(key: string, wish: Wish): LocalWaiter<T> {
    const queue = this.#queues.get(key);
    if (queue === undefined) {
      this.#queues.set(key, []);
      return { turn: Promise.resolve(undefined), leave: () => false };
    }
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const entry = { wish, begin: resolve };
    queue.push(entry);
    const leave = (): boolean => {
      const place = queue.indexOf(entry);
      if (place !== -1) queue.splice(place, 1);
      return place !== -1;
    };
    return { turn: promise, leave };
  }

  /** What the next in the queue wants; undefined when nobody waits. */
  nextWish(key: string): Wish | undefined {
    return this.#queues.get(key)?.[0]?.wish;
  }

  /** Ends the current turn and begins the next waiter's, passing it the lock if there is one to pass. */
  next(key: string, left?: T): void {
    const queue = this.#queues.get(key);
    const entry = queue?.shift();
    if (entry === undefined) this.#queues.delete(key);
    else entry.begin(left);
  }
}
