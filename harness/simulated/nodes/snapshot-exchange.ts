import type { Snapshot } from "../redis/keyspace/snapshot.ts";

/**
 * Snapshots in transit from master to replica. The wire carries a number instead: the content of a dump file does not
 * matter here, only when it arrives.
 */
export class SnapshotExchange {
  readonly #snapshots = new Map<number, Snapshot>();
  #next = 0;

  /** What to send for a snapshot: `$LOCKSTORM:<number>` and a line end. */
  offer(snapshot: Snapshot): string {
    const number = this.#next;
    this.#next += 1;
    this.#snapshots.set(number, snapshot);
    return `$LOCKSTORM:${number}\r\n`;
  }

  /** The snapshot of a line that `offer` made, the line end taken off. Each can be taken once. */
  take(line: string): Snapshot | undefined {
    const number = Number(/^\$LOCKSTORM:(\d+)$/.exec(line)?.[1]);
    const snapshot = this.#snapshots.get(number);
    this.#snapshots.delete(number);
    return snapshot;
  }
}
