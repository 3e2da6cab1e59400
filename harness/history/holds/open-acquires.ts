import { clientOf } from "../clients.ts";
import type { ProcessLineage } from "../process-lineage.ts";
import { OpenRequests } from "./open-requests.ts";

/** Where process numbers do not tell clients, so many of the oldest of a key are looked at. */
const SCANNED = 1000;

/**
 * What one client has under way of one key, by process. An acquire may be under way for the rest of a history, so that there may be
 * a hundred thousand of them: who asks takes no more than are needed.
 */
export class OpenAcquires<T extends { readonly time: number }> {
  readonly #clients: number | undefined;
  readonly #lineage: ProcessLineage;
  readonly #open = new OpenRequests<T>();

  /**
   * @param clients how many clients ran, where the history says so
   * @param lineage which processes may be one client
   */
  constructor(clients: number | undefined, lineage: ProcessLineage) {
    this.#clients = clients;
    this.#lineage = lineage;
  }

  begin(key: string, process: number, acquire: T): void {
    this.#open.begin(this.#nameOf(key, process), process, acquire);
  }

  end(key: string, process: number): void {
    this.#open.end(this.#nameOf(key, process), process);
  }

  /** Those that may be of the client of this process, in any order. */
  *of(key: string, process: number): Iterable<readonly [process: number, acquire: T]> {
    const open = this.#open.of(this.#nameOf(key, process));
    if (this.#clients !== undefined || open === undefined) {
      yield* open ?? [];
      return;
    }
    const own = open.get(process);
    if (own !== undefined) yield [process, own];
    const begun = this.#lineage.firstOf(process);
    let scanned = 0;
    for (const [other, acquire] of open) {
      if (other === process) continue;
      if (this.#lineage.mayContinue(other, process)) yield [other, acquire];
      // The others were asked for when this process had begun: by other clients.
      else if (acquire.time > begun) return;
      scanned += 1;
      if (scanned === SCANNED) return;
    }
  }

  /** Whether there is one that may be of the client of this process. */
  has(key: string, process: number): boolean {
    for (const _ of this.of(key, process)) return true;
    return false;
  }

  #nameOf(key: string, process: number): string {
    return this.#clients === undefined ? key : `${clientOf(process, this.#clients)} ${key}`;
  }
}
