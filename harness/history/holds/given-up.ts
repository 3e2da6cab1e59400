import type { HistoryEvent } from "../history.ts";
import { AFTER_GRANTS } from "../unordered.ts";

/**
 * Grants that their own process gave up before their answer comes, by clocks of which one may be late. What one process does is in
 * order whatever the clocks say: the hold is over when it begins.
 */
export class GivenUp {
  readonly #isHeld: (key: string, owner: string, process: number) => boolean;
  /** By process of the acquire, the event that ended its hold. */
  readonly #acquires = new Map<number, HistoryEvent>();

  /** @param isHeld whether the client of this process is known to hold the key under this owner value */
  constructor(isHeld: (key: string, owner: string, process: number) => boolean) {
    this.#isHeld = isHeld;
  }

  /** Whether the event gives up a hold whose grant comes later. */
  push(event: HistoryEvent & { readonly [AFTER_GRANTS]?: readonly number[] }): boolean {
    const acquire = event[AFTER_GRANTS]?.find((process) => !this.#acquires.has(process));
    if (acquire === undefined || !isGivingUp(event)) return false;
    if (this.#isHeld(event.key, event.value.owner, event.process)) return false;
    this.#acquires.set(acquire, event);
    return true;
  }

  /** The event that ended the hold that this process is granted now, if it was given up. */
  take(process: number): HistoryEvent | undefined {
    const event = this.#acquires.get(process);
    this.#acquires.delete(process);
    return event;
  }
}

/** Whether it is a release, or tells that a lease is lost. */
export function isGivingUp(
  event: HistoryEvent,
): event is Extract<HistoryEvent, { type: "lost" } | { type: "invoke"; f: "release" }> {
  return event.type === "lost" || (event.type === "invoke" && event.f === "release");
}
