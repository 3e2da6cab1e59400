import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { ownerName } from "../../history/owner-value.ts";

/** How many owner values are remembered, of all keys together: about 3 MB. */
const REMEMBERED_OWNERS = 20_000;

interface User {
  /** The process that used the owner value last. */
  readonly process: number;
  readonly isShared: boolean;
}

/** Which owner values of a key more than one client may use. A sound lock draws a new value for each acquisition. */
export class SharedOwners {
  readonly #users = new OldestFirst<string, User>(REMEMBERED_OWNERS);
  readonly #areOne: (one: number, other: number) => boolean;

  /** @param areOne true if two processes belong to one client for certain */
  constructor(areOne: (one: number, other: number) => boolean) {
    this.#areOne = areOne;
  }

  push(event: HistoryEvent): void {
    if (event.type === "ok" && event.f === "acquire") this.#use(event.key, event.value.owner, event.process);
    else if (event.type === "invoke" && (event.f === "release" || event.f === "extend")) {
      this.#use(event.key, event.value.owner, event.process);
    }
  }

  /** Whether two clients may have used this owner value. */
  has(key: string, owner: string): boolean {
    return this.#users.get(ownerName(key, owner))?.isShared === true;
  }

  #use(key: string, owner: string, process: number): void {
    const name = ownerName(key, owner);
    const known = this.#users.get(name);
    const isShared = known !== undefined && (known.isShared || !this.#areOne(known.process, process));
    this.#users.set(name, { process, isShared });
  }
}
