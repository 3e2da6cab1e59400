import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";

/** How many owner values are remembered that are called by another name. */
const REMEMBERED = 20_000;

/**
 * A lock may draw a new owner value when it extends a lease: the completion of the extension then has another value than
 * its invocation. It is the same hold, so the checkers see the first value of it throughout. Whoever still uses a value
 * that was replaced refers to nothing.
 */
export class RenamedOwners {
  /** By process, the owner value whose extension is under way. */
  readonly #asked = new Map<number, string>();
  /** By key and owner value, the name that it has for the checkers, if that is another. */
  readonly #names = new OldestFirst<string, string>();

  /**
   * The event with the first owner value of its hold.
   *
   * @param isHeld whether somebody holds the key under this value already: an extension that answers with it did not draw it
   */
  named<E extends HistoryEvent>(event: E, isHeld: (key: string, owner: string, process: number) => boolean): E {
    if (event.type === "invoke" && event.f === "extend") this.#asked.set(event.process, event.value.owner);
    else if (event.f === "extend" && typeof event.process === "number") {
      const asked = this.#asked.get(event.process);
      this.#asked.delete(event.process);
      if (event.type === "ok" && asked !== undefined && asked !== event.value.owner) {
        const { key, process, value } = event;
        if (!isHeld(key, this.#nameOf(key, value.owner), process)) this.#rename(key, asked, value.owner);
      }
    }
    if (this.#names.size === 0 || !("key" in event)) return event;
    const stated = event.value as { readonly owner?: unknown } | undefined;
    if (typeof stated?.owner !== "string") return event;
    const owner = this.#nameOf(event.key, stated.owner);
    return owner === stated.owner ? event : { ...event, value: { ...stated, owner } };
  }

  #rename(key: string, before: string, after: string): void {
    const first = this.#nameOf(key, before);
    this.#call(key, before, before === first ? `${before} (replaced)` : before);
    this.#call(key, after, first);
  }

  #call(key: string, owner: string, name: string): void {
    const place = JSON.stringify([key, owner]);
    if (owner === name) this.#names.delete(place);
    else this.#names.set(place, name);
    const { size, oldest } = this.#names;
    if (size > REMEMBERED && oldest !== undefined) this.#names.delete(oldest[0]);
  }

  #nameOf(key: string, owner: string): string {
    return (this.#names.size === 0 ? undefined : this.#names.get(JSON.stringify([key, owner]))) ?? owner;
  }
}
