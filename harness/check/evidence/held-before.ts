import { shareOf } from "../../core/sharing.ts";
import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import { grantOf, type InvocationEvent } from "../../history/operations.ts";

/**
 * Whether all locks were certainly free when the history began. lockstorm starts its servers for the run; a recording
 * of another system may begin at any moment.
 */
export function beganFree(header: HistoryHeader): boolean {
  return typeof header["backend"] === "string";
}

/** What is known of a hold of one key from before the history. */
interface KeyBefore {
  /** The only owner value that may still hold from before, once a grant has excluded all others; null: no longer any. */
  owner: string | null | undefined;
  /** Whether a grant or an extension has shown until when such a hold's lease lasts at most. */
  leaseKnown: boolean;
}

/**
 * Who may hold a lock since before the history began. Nobody knows such a hold's lease or how often it was entered. It
 * is certainly over once another owner has been granted the lock alone: whoever is granted it shows that no other owner
 * held it. The owner that was granted it may have entered its hold once more.
 */
export class HeldBefore {
  readonly #beganFree: boolean;
  readonly #keys = new Map<string, KeyBefore>();

  constructor(header: HistoryHeader) {
    this.#beganFree = beganFree(header);
  }

  push(event: HistoryEvent, invocation: InvocationEvent | undefined): void {
    if (this.#beganFree || event.type !== "ok") return;
    const grant = grantOf(event, invocation);
    if (grant !== undefined && shareOf(grant.invocation.value).kind === "exclusive") {
      this.#exclude(event.key, grant.completion.value.owner);
    } else if (event.f === "extend" && this.#keys.get(event.key) === undefined) {
      this.#keys.set(event.key, { owner: undefined, leaseKnown: true });
    }
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    this.#keys.delete(key);
  }

  /** Whether this owner may hold the key since before the history began. */
  mayHold(key: string, owner: string): boolean {
    if (this.#beganFree) return false;
    const known = this.#keys.get(key)?.owner;
    return known === undefined || known === owner;
  }

  /** Whether somebody may hold the key since before the history began, with a lease of any length. */
  mayLast(key: string): boolean {
    return !this.#beganFree && this.#keys.get(key)?.leaseKnown !== true;
  }

  #exclude(key: string, owner: string): void {
    const known = this.#keys.get(key);
    if (known === undefined) this.#keys.set(key, { owner, leaseKnown: true });
    else {
      known.leaseKnown = true;
      known.owner = known.owner === undefined || known.owner === owner ? owner : null;
    }
  }
}
