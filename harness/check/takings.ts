import type { Hold } from "./holds.ts";
import type { Invocation } from "./step.ts";
import type { HistoryEvent } from "../core/history.ts";

/** How many operations back the search for the cause of an overlap looks, per key. */
const REMEMBERED_PER_KEY = 64;

/**
 * An operation that took the lock from somebody or may have: a release that reported `released: true`, an extension that
 * reported success, or either of them with an indeterminate end. Times are nanoseconds since the start of the run.
 */
export interface Taking {
  readonly f: "release" | "extend";
  readonly certain: boolean;
  readonly process: number;
  readonly owner: string;
  /** When the lease ended that its owner had when it invoked the operation; undefined if it had none. */
  readonly ownLeaseEnd: number | undefined;
  readonly invokedIndex: number;
  readonly invokedTime: number;
  readonly completedIndex: number;
  readonly completedTime: number;
}

/** Remembers the last takings of each key. */
export class TakingLog {
  readonly #byKey = new Map<string, Taking[]>();
  /** By process, the hold to which its open release or extension refers. */
  readonly #own = new Map<number, Hold>();

  /** The last takings of a key, as they are now. */
  of(key: string): readonly Taking[] {
    return [...(this.#byKey.get(key) ?? [])];
  }

  push(event: HistoryEvent, invocation: Invocation | undefined, own: Hold | undefined): void {
    if (event.type === "invoke") {
      if (own === undefined) this.#own.delete(event.process);
      else this.#own.set(event.process, own);
      return;
    }
    if (event.type === "fault" || event.type === "audit") return;
    const taking = takingOf(event, invocation, this.#own.get(event.process));
    if (taking === undefined) return;
    const remembered = this.#byKey.get(event.key);
    if (remembered === undefined) this.#byKey.set(event.key, [taking]);
    else if (remembered.push(taking) > 2 * REMEMBERED_PER_KEY) remembered.splice(0, REMEMBERED_PER_KEY);
  }
}

/** The taking that this event completes, if it does. `own` is the hold to which it refers. */
export function takingOf(
  event: HistoryEvent,
  invocation: Invocation | undefined,
  own: Hold | undefined,
): Taking | undefined {
  if (invocation === undefined || (invocation.f !== "release" && invocation.f !== "extend")) return undefined;
  if (event.type !== "ok" && event.type !== "info") return undefined;
  if (event.type === "ok" && event.f === "release" && !event.value.released) return undefined;
  return {
    f: invocation.f,
    certain: event.type === "ok",
    process: invocation.process,
    owner: invocation.value.owner,
    ownLeaseEnd: own?.leaseEnd,
    invokedIndex: invocation.index,
    invokedTime: invocation.time,
    completedIndex: event.index,
    completedTime: event.time,
  };
}
