import { clientOf } from "../../history/clients.ts";
import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";

/** With more processes than this, it is not remembered which of them; it may then have been any. */
const REMEMBERED_PROCESSES = 256;

interface KeyAcquires {
  /** Processes whose acquire of the key is under way, with the index of its invocation. */
  readonly open: OldestFirst<number, number>;
  /** Processes one of whose acquires of the key had an indeterminate end, with the index of the first such invocation. */
  indeterminate: Map<number, number> | undefined;
}

/**
 * Which processes may have been granted a lock although the history does not say so: those whose acquire is still under
 * way, and those whose acquire had an indeterminate end. Such an acquire may take effect at any time after its
 * invocation, and with any owner value.
 */
export class UnknownAcquires {
  readonly #byKey = new Map<string, KeyAcquires>();
  readonly #clients: number | undefined;

  /** @param clients how many clients ran, where the history says so */
  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  push(event: HistoryEvent): void {
    if (event.type === "fault" || event.type === "audit" || event.f !== "acquire") return;
    const acquires = this.#of(event.key);
    if (event.type === "invoke") acquires.open.set(event.process, event.index);
    if (event.type === "info") {
      const indeterminate = (acquires.indeterminate ??= new Map());
      const [client, invoked] = [clientOf(event.process, this.#clients), acquires.open.get(event.process) ?? -1];
      const first = Math.min(indeterminate.get(client) ?? Infinity, invoked);
      if (indeterminate.size < REMEMBERED_PROCESSES || indeterminate.has(client)) indeterminate.set(client, first);
    }
    if (event.type !== "invoke") acquires.open.delete(event.process);
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    this.#byKey.delete(key);
  }

  /** Whether an acquire of the key is under way that was invoked before event `index`. */
  hasOpen(key: string, index: number): boolean {
    const { oldest } = this.#of(key).open;
    return oldest !== undefined && oldest[1] < index;
  }

  /** The processes whose acquire of the key is under way and was invoked before event `index`. */
  *open(key: string, index: number): Iterable<number> {
    for (const [process, invoked] of this.#of(key).open.entries()) if (invoked < index) yield process;
  }

  /**
   * Whether an acquire of the key had an indeterminate end that one of these processes may have made, and that was
   * invoked before event `index`.
   */
  hadIndeterminate(key: string, index: number, isOne: (process: number) => boolean): boolean {
    const { indeterminate } = this.#of(key);
    if (indeterminate === undefined) return false;
    return (
      indeterminate.size >= REMEMBERED_PROCESSES ||
      [...indeterminate].some(([process, invoked]) => invoked < index && isOne(process))
    );
  }

  #of(key: string): KeyAcquires {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const fresh = { open: new OldestFirst<number, number>(), indeterminate: undefined };
    this.#byKey.set(key, fresh);
    return fresh;
  }
}
