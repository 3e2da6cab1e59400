import { clientOf } from "./clients.ts";

interface Place {
  readonly index: number;
}

/**
 * Which process belongs to which client. A client whose operation ended as `info` continues under a new process number.
 * If the history says how many clients there are, the number grows by that count (as in Jepsen), so that the remainder
 * names the client. If it does not, two processes that were ever alive side by side certainly belong to two clients,
 * and a process may continue any process that retired before it was first seen.
 */
export class ProcessLineage {
  readonly #clients: number | undefined;
  readonly #firstSeen = new Map<number, number>();
  readonly #retired = new Map<number, number>();

  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  /** Takes note of an event of `process`. */
  push(process: number, { index }: Place): void {
    if (this.#clients !== undefined) return;
    if (!this.#firstSeen.has(process)) this.#firstSeen.set(process, index);
  }

  /**
   * This process retires then, at the indeterminate end of an operation. Where the order of the events at that time is not known,
   * this may be told before the event.
   */
  retire(process: number, { index }: Place): void {
    if (this.#clients === undefined) this.#retired.set(process, index);
  }

  /** Whether this process has retired, and its client may continue under another number. */
  hasRetired(process: number): boolean {
    return this.#retired.has(process);
  }

  /** True unless `earlier` and `later` are two clients for certain. */
  mayContinue(earlier: number, later: number): boolean {
    if (earlier === later) return true;
    if (this.#clients !== undefined) return clientOf(earlier, this.#clients) === clientOf(later, this.#clients);
    const retired = this.#retired.get(earlier);
    const seen = this.#firstSeen.get(later);
    if (retired === undefined || seen === undefined) return retired !== undefined;
    return seen > retired;
  }
}
