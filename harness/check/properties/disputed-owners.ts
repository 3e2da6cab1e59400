import type { Hold, HoldChange } from "../../history/holds.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { ownerOf } from "../../history/holds/sign.ts";
import { shortOwner } from "../../history/owner-value.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { timeWords } from "../words.ts";

/** How many owner values are remembered whose first process may go on. */
const REMEMBERED = 10_000;

/** Two processes that were granted one key under one owner value. */
interface Dispute {
  readonly first: number;
  readonly second: number;
  /** When the second was granted it. */
  readonly time: number;
  readonly key: string;
  readonly owner: string;
}

/**
 * Grants of one owner value to two processes that act beside each other, in a history that does not say how many clients ran. If they
 * are threads of one client, the second has entered its hold again; if they are two clients, the lock was granted twice.
 */
export class DisputedOwners {
  /** By key and owner value, where the first process has not shown yet that it still means to hold. */
  readonly #open = new OldestFirst<string, Dispute>(REMEMBERED);
  readonly #isPromise: boolean;
  #reason: string | undefined;

  /** @param isPromise whether a lease in force counts as a hold, and not only what a client means to hold */
  constructor(isPromise: boolean) {
    this.#isPromise = isPromise;
  }

  /** Why the property is not decided, if so. */
  get reason(): string | undefined {
    return this.#reason;
  }

  push({ event, changes }: HistoryStep): void {
    if (this.#reason !== undefined || typeof event.process !== "number") return;
    for (const { kind, hold } of changes) {
      const { sharedWith: first, key, owner } = hold;
      if (first === undefined || (kind !== "granted" && kind !== "reentered")) continue;
      const dispute = { first, second: event.process, time: event.time, key, owner };
      if (!this.#isPromise) this.#remember(dispute);
      else if (kind === "reentered" || wasInForce(changes, hold)) this.#reason = inWords(dispute);
    }
    if (event.type !== "invoke") return;
    const dispute = this.#open.get(nameOf(event.key, ownerOf(event)));
    if (dispute?.first === event.process) this.#reason = inWords(dispute);
  }

  #remember(dispute: Dispute): void {
    this.#open.set(nameOf(dispute.key, dispute.owner), dispute);
  }
}

/** Whether the hold that this one replaced was still promised. */
function wasInForce(changes: readonly HoldChange[], { owner, grantedTime }: Hold): boolean {
  return changes.some(({ kind, hold }) => kind === "ended" && hold.owner === owner && hold.leaseEnd > grantedTime);
}

function inWords({ first, second, time, key, owner }: Dispute): string {
  return (
    `process ${second} was granted ${key} at ${timeWords(time)} under the owner value ${shortOwner(owner)} of process ${first}: ` +
    "the two are two clients, or two threads of one, which entered its hold again, and the history does not say which. Add `clients`, " +
    "the number of clients, to its first line, and give the processes of one client numbers that differ by multiples of it"
  );
}

function nameOf(key: string, owner: string | undefined): string {
  return JSON.stringify([key, owner]);
}
