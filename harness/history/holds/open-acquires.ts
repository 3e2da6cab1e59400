import { clientOf } from "../clients.ts";
import { OpenRequests } from "./open-requests.ts";

/** What one client has under way of one key, by process. */
export class OpenAcquires<T> {
  readonly #clients: number | undefined;
  readonly #open = new OpenRequests<T>();

  /** @param clients how many clients ran; where that is unknown, processes that act at the same time are two clients */
  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  begin(key: string, process: number, acquire: T): void {
    this.#open.begin(this.#nameOf(key, process), process, acquire);
  }

  end(key: string, process: number): void {
    this.#open.end(this.#nameOf(key, process), process);
  }

  /** Those of the client of this process, the oldest first. */
  of(key: string, process: number): ReadonlyMap<number, T> | undefined {
    return this.#open.of(this.#nameOf(key, process));
  }

  #nameOf(key: string, process: number): string {
    return `${clientOf(process, this.#clients)} ${key}`;
  }
}
