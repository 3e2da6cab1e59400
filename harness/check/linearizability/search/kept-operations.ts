import type { LockOperation } from "../lock-models.ts";

/** How many operations one key may keep, as long as fewer than so many are kept of all keys together. */
interface Level {
  readonly below: number;
  readonly most: number;
}

/** A history of thousands of keys would take a gigabyte otherwise. */
const LEVELS: readonly Level[] = [
  { below: 20_000, most: 300 },
  { below: 40_000, most: 30 },
  { below: Infinity, most: 0 },
];

/** The room for the operations of all keys that one checker follows. */
export class KeptRoom {
  readonly #levels: readonly Level[];
  #kept = 0;

  /** @param most how many operations each key may keep, however many there are (default: the fewer, the more there are) */
  constructor(most?: number) {
    this.#levels = most === undefined ? LEVELS : [{ below: Infinity, most }];
  }

  /** How many operations one key may keep. */
  get most(): number {
    return this.#levels.find(({ below }) => this.#kept < below)!.most;
  }

  take(): void {
    this.#kept += 1;
  }

  giveBack(count: number): void {
    this.#kept -= count;
  }
}

/** All operations of one key, for the general search; none any more as soon as there are too many. */
export class KeptOperations {
  readonly #room: KeptRoom;
  #operations: LockOperation[] | undefined = [];

  constructor(room: KeptRoom) {
    this.#room = room;
  }

  /** Undefined if there were too many. */
  get all(): readonly LockOperation[] | undefined {
    return this.#operations;
  }

  add(operation: LockOperation): void {
    if (this.#operations === undefined) return;
    if (this.#operations.length >= this.#room.most) return this.drop();
    this.#operations.push(operation);
    this.#room.take();
  }

  drop(): void {
    this.#room.giveBack(this.#operations?.length ?? 0);
    this.#operations = undefined;
  }
}
