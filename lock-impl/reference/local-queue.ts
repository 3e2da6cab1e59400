/** Somebody in this process who waits for a key. */
export interface LocalWaiter<T> {
  /** The holder before it left it the lock; undefined: it must contend for itself. */
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

  /** Joins the queue of a key, with what it will want of the lock. Whoever finds the queue empty has its turn at once. */
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

  /** Ends the present turn and begins the next waiter's, leaving it the lock where there is one to leave. */
  next(key: string, left?: T): void {
    const queue = this.#queues.get(key);
    const entry = queue?.shift();
    if (entry === undefined) this.#queues.delete(key);
    else entry.begin(left);
  }
}
