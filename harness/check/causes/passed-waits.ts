import type { PassedWait } from "../../core/verdict.ts";
import type { HistoryEvent } from "../../history/history.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import type { HistoryStep } from "../evidence/history-step.ts";

/** An acquire that is under way. */
interface Wait {
  /** Index of its invocation. */
  readonly invoked: number;
  /** How many acquires that were invoked after it were granted the key. */
  passed: number;
}

/** Of the acquires of a key that are under way, the oldest are counted: with more of them, each grant would cost more. */
const MOST_COUNTED = 256;

/**
 * Counts how often an acquire that waits is passed by others that asked later, whether or not the lock promises any order. An
 * acquire counts when it ends, granted or not: one of unknown outcome may have waited for nothing.
 */
export class PassedWaits {
  /** By key and process, in the order of invocation. */
  readonly #waits = new Map<string, Map<number, Wait>>();
  #longest: PassedWait | undefined;

  /** The acquire that was passed most often; undefined if none was. */
  get longest(): PassedWait | undefined {
    return this.#longest;
  }

  push({ event }: Pick<HistoryStep, "event">): void {
    if (!isOfAcquire(event)) return;
    const { key, process, type } = event;
    const waits = this.#waits.get(key) ?? new Map<number, Wait>();
    this.#waits.set(key, waits);
    if (type === "invoke") {
      waits.set(process, { invoked: event.index, passed: 0 });
      return;
    }
    const own = waits.get(process);
    waits.delete(process);
    if (own === undefined || type === "info") return;
    if (own.passed > (this.#longest?.grants ?? 0))
      this.#longest = { grants: own.passed, events: [own.invoked, event.index] };
    if (type === "ok") countAsPassed(waits, own.invoked);
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    this.#waits.delete(key);
  }
}

/** The acquires that were invoked before this one, which was granted the key, were passed by it. */
function countAsPassed(waits: ReadonlyMap<number, Wait>, invoked: number): void {
  let counted = 0;
  for (const wait of waits.values()) {
    if (wait.invoked > invoked || counted === MOST_COUNTED) return;
    wait.passed += 1;
    counted += 1;
  }
}

function isOfAcquire(event: HistoryEvent): event is Extract<InvocationEvent | CompletionEvent, { f: "acquire" }> {
  return event.f === "acquire";
}
