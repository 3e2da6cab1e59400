/**
 * Which process is which client's. A client whose operation ended as `info` goes on under a new process number. Where
 * the history says how many clients there are, the number grows by that (as in Jepsen), so that the remainder names the
 * client. Where it does not, two processes that were ever alive side by side are two clients for certain, and a process
 * may continue any that was retired before it was first seen.
 */
export class ProcessLineage {
  readonly #clients: number | undefined;
  readonly #firstSeen = new Map<number, number>();
  readonly #retired = new Map<number, number>();

  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  /** Takes note of an event of `process` at `index`; `retires` when it is the indeterminate end of an operation. */
  push(process: number, index: number, retires: boolean): void {
    if (this.#clients !== undefined) return;
    if (!this.#firstSeen.has(process)) this.#firstSeen.set(process, index);
    if (retires) this.#retired.set(process, index);
  }

  /** True unless `earlier` and `later` are two clients for certain. */
  mayContinue(earlier: number, later: number): boolean {
    if (earlier === later) return true;
    if (this.#clients !== undefined) return earlier % this.#clients === later % this.#clients;
    const retired = this.#retired.get(earlier);
    return retired !== undefined && (this.#firstSeen.get(later) ?? Infinity) > retired;
  }
}
