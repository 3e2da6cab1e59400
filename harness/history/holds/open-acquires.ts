import { clientOf } from "../clients.ts";
import { OpenRequests } from "./open-requests.ts";

/** Where process numbers do not tell clients, so many of the oldest of a key are looked at. */
const SCANNED = 1000;

/** What one client has under way of one key, by process. */
export class OpenAcquires<T> {
  readonly #clients: number | undefined;
  readonly #sameClient: (earlier: number, later: number) => boolean;
  readonly #open = new OpenRequests<T>();

  /**
   * @param clients how many clients ran, where the history says so
   * @param sameClient true unless two processes belong to two clients for certain
   */
  constructor(clients: number | undefined, sameClient: (earlier: number, later: number) => boolean) {
    this.#clients = clients;
    this.#sameClient = sameClient;
  }

  begin(key: string, process: number, acquire: T): void {
    this.#open.begin(this.#nameOf(key, process), process, acquire);
  }

  end(key: string, process: number): void {
    this.#open.end(this.#nameOf(key, process), process);
  }

  /** Those that may be of the client of this process, the oldest first. */
  of(key: string, process: number): ReadonlyMap<number, T> | undefined {
    const open = this.#open.of(this.#nameOf(key, process));
    if (this.#clients !== undefined || open === undefined) return open;
    const possible = new Map<number, T>();
    let scanned = 0;
    for (const [other, acquire] of open) {
      if (this.#sameClient(other, process)) possible.set(other, acquire);
      scanned += 1;
      if (scanned === SCANNED) break;
    }
    return possible.size === 0 ? undefined : possible;
  }

  #nameOf(key: string, process: number): string {
    return this.#clients === undefined ? key : `${clientOf(process, this.#clients)} ${key}`;
  }
}
