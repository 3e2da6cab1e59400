import { clientOf } from "../clients.ts";

/** What one client has under way of one key, by process. */
export class OpenAcquires<T> {
  readonly #clients: number | undefined;
  readonly #open = new Map<string, Map<number, T>>();

  /** @param clients how many clients ran; where that is unknown, processes that act at the same time are two clients */
  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  begin(key: string, process: number, acquire: T): void {
    const name = this.#nameOf(key, process);
    const known = this.#open.get(name);
    if (known === undefined) this.#open.set(name, new Map([[process, acquire]]));
    else known.set(process, acquire);
  }

  end(key: string, process: number): void {
    const name = this.#nameOf(key, process);
    const known = this.#open.get(name);
    known?.delete(process);
    if (known?.size === 0) this.#open.delete(name);
  }

  /** Those of the client of this process, the oldest first. */
  of(key: string, process: number): ReadonlyMap<number, T> | undefined {
    return this.#open.get(this.#nameOf(key, process));
  }

  #nameOf(key: string, process: number): string {
    return `${clientOf(process, this.#clients)} ${key}`;
  }
}
