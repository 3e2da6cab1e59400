import { type ClientEvent, type HistoryEvent, ONE_OF_SEVERAL } from "../../history/history.ts";
import { fits, type Share, shareOf } from "../../core/sharing.ts";
import type { HoldTracker } from "../../history/holds.ts";

/** How many holders are looked at. */
const MOST_HOLDERS = 1024;

/**
 * Watches whether clients ever contended for a lock: an acquire was refused because somebody held, or was under way
 * while other processes held what left no room for it. A history without contention proves nothing about exclusion.
 */
export class ContentionWatch {
  /** By key and process, what is asked for. */
  readonly #seeking = new Map<string, Map<number, Share>>();
  #contended = false;

  get contended(): boolean {
    return this.#contended;
  }

  /** Drops what is known of a key that will not be used again. */
  conclude(key: string): void {
    this.#seeking.delete(key);
  }

  /** To be called with the holds as they were before the event. */
  push(event: HistoryEvent, holds: HoldTracker): void {
    if (this.#contended || event.type === "fault" || event.type === "audit" || event.f !== "acquire") return;
    this.#watch(event, holds);
    if (this.#contended) this.#seeking.clear();
  }

  #watch(event: Extract<ClientEvent, { f: "acquire" }>, holds: HoldTracker): void {
    const seeking = this.#seeking.get(event.key);
    if (event.type === "invoke") {
      const share = shareOf(event.value);
      this.#contended = !holds.leaveRoomFor(event.key, [share]) && !fits(share, heldByOthers(holds, event));
      if (seeking === undefined) this.#seeking.set(event.key, new Map([[event.process, share]]));
      else seeking.set(event.process, share);
      return;
    }
    const granted = seeking?.get(event.process);
    seeking?.delete(event.process);
    if (event.type === "ok" && granted !== undefined) {
      const crowded = [...(seeking?.values() ?? [])].filter(
        (other) => !holds.leaveRoomFor(event.key, [granted, other]),
      );
      if (crowded.length === 0) return;
      const held = [granted, ...heldByOthers(holds, event)];
      this.#contended = crowded.some((other) => !fits(other, held));
    } else if (event.type === "fail") {
      this.#contended = event.value?.reason === "contended" || event.value?.reason === ONE_OF_SEVERAL;
    }
  }
}

/** What other processes hold of a key: the latest of them are enough to see whether there is room. */
function heldByOthers(holds: HoldTracker, { key, process }: { key: string; process: number }): readonly Share[] {
  const shares: Share[] = [];
  for (const { currentProcess, share } of holds.latest(key)) {
    if (currentProcess !== process) shares.push(share);
    if (shares.length === MOST_HOLDERS) break;
  }
  return shares;
}
