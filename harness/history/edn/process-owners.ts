/** How many processes back an operation may refer that names no owner. */
const MOST_BACK = 1000;
/** From so many processes the number of clients is learned. */
const LEARNED_FROM = 1000;

interface Grant {
  readonly owner: string;
  /** Whether the history names this owner: otherwise it is a name for the process. */
  readonly isNamed: boolean;
  isReleased: boolean;
}

interface Process {
  /** How many processes had begun or been retired before it began. */
  readonly begun: number;
  /** The same before an operation of it had an unknown outcome: then its client continues under another number. */
  retired: number | undefined;
  /** The key of its last acquire. */
  lastKey: string | undefined;
  /** By key, its last grant. */
  readonly grants: Map<string, Grant>;
}

/**
 * Whose lock an operation means that names neither key nor owner, as in Jepsen's histories. It is the last that its process was
 * granted. A process whose operation had an unknown outcome does nothing any more: its client goes on as the process whose number
 * is larger by the number of clients, and may still hold what the older process was granted.
 */
export class ProcessOwners {
  readonly #processes = new Map<number, Process>();
  /** The smallest number of clients for which each process is a client's first one, or continues one that was retired before. */
  #clients = 1;
  #changes = 0;

  /** A process invokes something. */
  begin(process: number): void {
    if (this.#processes.has(process)) return;
    this.#changes += 1;
    this.#processes.set(process, { begun: this.#changes, retired: undefined, lastKey: undefined, grants: new Map() });
    if (this.#processes.size <= LEARNED_FROM && !this.#fits(process, this.#clients)) this.#learn(process);
  }

  /** An operation of this process had an unknown outcome. */
  retire(process: number): void {
    this.#changes += 1;
    const known = this.#processes.get(process);
    if (known !== undefined) known.retired = this.#changes;
  }

  /** With fewer clients than these this process would continue none. */
  #learn(process: number): void {
    const differences = [...this.#processes.keys()].map((earlier) => process - earlier);
    const larger = differences.filter((clients) => clients > this.#clients).sort((one, other) => one - other);
    const fitting = larger.find((clients) => [...this.#processes.keys()].every((known) => this.#fits(known, clients)));
    this.#clients = fitting ?? process + 1;
  }

  #fits(process: number, clients: number): boolean {
    const begun = this.#processes.get(process)?.begun ?? 0;
    return process < clients || (this.#processes.get(process - clients)?.retired ?? Infinity) < begun;
  }

  /** A process asks for a key. */
  seek(process: number, key: string): void {
    const known = this.#processes.get(process);
    if (known !== undefined) known.lastKey = key;
  }

  /** @param isNamed whether the history names this owner */
  granted(process: number, key: string, owner: string, isNamed = true): void {
    this.#processes.get(process)?.grants.set(key, { owner, isNamed, isReleased: false });
  }

  /** The lock of this owner was given back. */
  released(process: number, key: string, owner: string): void {
    for (const { grants } of this.#lineOf(process)) {
      const grant = grants.get(key);
      if (grant?.owner === owner) grant.isReleased = true;
    }
  }

  /** The key that the client of this process asked for last. */
  keyOf(process: number): string | undefined {
    for (const { lastKey } of this.#lineOf(process)) if (lastKey !== undefined) return lastKey;
    return undefined;
  }

  /** The owner of the last grant of this key to this process, or of one to a process that it continues and has not given back. */
  ownerOf(process: number, key: string): string | undefined {
    return this.#grantOf(process, key)?.owner;
  }

  /** Whether that grant named no owner: what its process calls the owner afterwards is the same lock. */
  isUnnamed(process: number, key: string): boolean {
    return this.#grantOf(process, key)?.isNamed === false;
  }

  #grantOf(process: number, key: string): Grant | undefined {
    const own = this.#processes.get(process)?.grants.get(key);
    if (own !== undefined) return own;
    for (const { grants } of this.#lineOf(process)) {
      const grant = grants.get(key);
      if (grant?.isReleased === false) return grant;
    }
    return undefined;
  }

  /** This process, and those that it continues, the latest first. */
  *#lineOf(process: number): Iterable<Process> {
    const own = this.#processes.get(process);
    if (own !== undefined) yield own;
    for (let back = 1; back <= MOST_BACK; back += 1) {
      const earlier = this.#processes.get(process - back * this.#clients);
      if (earlier?.retired === undefined) return;
      yield earlier;
    }
  }
}
