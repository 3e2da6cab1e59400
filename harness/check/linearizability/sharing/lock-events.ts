import type { HistoryEvent, LostEvent, RenewedEvent } from "../../../history/history.ts";
import type { LockCompletion, LockInvocation } from "../open-operation.ts";

/** An event that the models of locks see. */
export type LockEvent = LockInvocation | LockCompletion | LostEvent | RenewedEvent;

/** Whether the models see this event. */
export function isOfLock(event: HistoryEvent): event is LockEvent {
  if (event.type === "lost" || event.type === "renewed") return true;
  const isOperation = event.type === "invoke" || event.type === "ok" || event.type === "fail" || event.type === "info";
  return isOperation && (event.f === "acquire" || event.f === "release" || event.f === "extend");
}

/** How many events on a key are kept until an acquire states how it shares the key. */
const MOST_EARLY = 100;

/**
 * The events on keys before the first acquire, with their steps: only an acquire shows which model judges the key. A history
 * that begins with more than a hundred others on a key says no more of them to the model that is chosen then.
 */
export class EarlyEvents<S> {
  readonly #events = new Map<string, { readonly event: LockEvent; readonly step: S }[]>();

  add(event: LockEvent, step: S): void {
    const known = this.#events.get(event.key);
    if (known === undefined) this.#events.set(event.key, [{ event, step }]);
    else if (known.length < MOST_EARLY) known.push({ event, step });
  }

  /** The events on a key so far, which are then forgotten. */
  take(key: string): readonly { readonly event: LockEvent; readonly step: S }[] {
    const known = this.#events.get(key) ?? [];
    this.#events.delete(key);
    return known;
  }
}
