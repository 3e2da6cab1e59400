import { clientOf } from "../../history/clients.ts";
import type { HistoryEvent } from "../../history/history.ts";

/** With more processes than this, it is not remembered which of them; it may then have been any. */
const REMEMBERED_PROCESSES = 256;

interface KeyAcquires {
  /** Processes whose acquire of the key is under way. */
  readonly open: Set<number>;
  /** Processes one of whose acquires of the key had an indeterminate end. */
  readonly indeterminate: Set<number>;
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
    const { open, indeterminate } = this.#of(event.key);
    if (event.type === "invoke") open.add(event.process);
    else open.delete(event.process);
    if (event.type !== "info" || indeterminate.size >= REMEMBERED_PROCESSES) return;
    indeterminate.add(clientOf(event.process, this.#clients));
  }

  /** Processes whose acquire of the key is under way. */
  open(key: string): ReadonlySet<number> {
    return this.#of(key).open;
  }

  /** Whether an acquire of the key had an indeterminate end that one of these processes may have made. */
  hadIndeterminate(key: string, isOne: (process: number) => boolean): boolean {
    const { indeterminate } = this.#of(key);
    return indeterminate.size >= REMEMBERED_PROCESSES || [...indeterminate].some(isOne);
  }

  #of(key: string): KeyAcquires {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const fresh = { open: new Set<number>(), indeterminate: new Set<number>() };
    this.#byKey.set(key, fresh);
    return fresh;
  }
}
