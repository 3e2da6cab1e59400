import { clientOf } from "./clients.ts";

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

  /** Takes note of an event of `process` at `index`; `retires` when it is the indeterminate end of an operation. */
  push(process: number, index: number, retires: boolean): void {
    if (this.#clients !== undefined) return;
    if (!this.#firstSeen.has(process)) this.#firstSeen.set(process, index);
    if (retires) this.#retired.set(process, index);
  }

  /** True unless `earlier` and `later` are two clients for certain. */
  mayContinue(earlier: number, later: number): boolean {
    if (earlier === later) return true;
    if (this.#clients !== undefined) return clientOf(earlier, this.#clients) === clientOf(later, this.#clients);
    const retired = this.#retired.get(earlier);
    return retired !== undefined && (this.#firstSeen.get(later) ?? Infinity) > retired;
  }
}
