/**
 * The last bytes of a replication stream, kept so that a replica that lost its connection can continue where it stopped
 * (Redis documentation, Redis replication, "How Redis replication works"). Offsets count from 1, as PSYNC's do.
 */
export class Backlog {
  #text = "";
  #first: number;
  readonly #size: number;

  /** @param next offset of the next byte of the stream @param size how many bytes are kept */
  constructor(next: number, size: number) {
    this.#first = next;
    this.#size = size;
  }

  /** Offset of the oldest byte that is kept. */
  get first(): number {
    return this.#first;
  }

  get length(): number {
    return this.#text.length;
  }

  append(text: string): void {
    this.#text += text;
    const surplus = this.#text.length - this.#size;
    if (surplus <= 0) return;
    this.#text = this.#text.slice(surplus);
    this.#first += surplus;
  }

  /** Everything from `offset` on; undefined when it is not in the backlog (any more, or yet). */
  from(offset: number): string | undefined {
    if (offset < this.#first || offset > this.#first + this.#text.length) return undefined;
    return this.#text.slice(offset - this.#first);
  }
}
