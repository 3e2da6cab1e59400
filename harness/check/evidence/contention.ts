import type { HistoryEvent } from "../../history/history.ts";
import type { Hold, HoldTracker } from "../../history/holds.ts";

/**
 * Watches whether clients ever contended for a lock: an acquire was refused because somebody held, or was under way
 * while another process held. A history without contention proves nothing about exclusion.
 */
export class ContentionWatch {
  readonly #seeking = new Map<string, Set<number>>();
  #contended = false;

  get contended(): boolean {
    return this.#contended;
  }

  /** To be called with the holds as they were before the event. */
  push(event: HistoryEvent, holds: HoldTracker): void {
    if (this.#contended || event.type === "fault" || event.type === "audit" || event.f !== "acquire") return;
    const seeking = this.#seeking.get(event.key);
    if (event.type === "invoke") {
      this.#contended = isHeldByOther(holds.latest(event.key), event.process);
      if (seeking === undefined) this.#seeking.set(event.key, new Set([event.process]));
      else seeking.add(event.process);
      return;
    }
    seeking?.delete(event.process);
    if (event.type === "ok") this.#contended = seeking !== undefined && seeking.size > 0;
    else if (event.type === "fail") this.#contended = event.value?.reason === "contended";
  }
}

function isHeldByOther(holds: Iterable<Hold>, process: number): boolean {
  for (const hold of holds) if (hold.currentProcess !== process) return true;
  return false;
}
