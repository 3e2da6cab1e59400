import { NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { LONG_WAIT_MS } from "./long-wait.ts";

/** A lock may need so many answers of a server where the resource needs one. */
const ROUND_TRIPS = 5;

/**
 * How long the guarded resource took to answer before any fault. It is a server beside those of the lock, and needs one round trip: in
 * real time on a busy machine it is slow as well, and then nobody knows whether the lock is to blame for what took long.
 */
export class ResourceAnswers {
  #slowest = 0;
  #disturbed = false;

  /** Whether the resource was so slow that nothing can be said of the lock. */
  get areSlow(): boolean {
    return this.#slowest * ROUND_TRIPS > LONG_WAIT_MS * NANOSECONDS_PER_MS;
  }

  push({ event, invocation }: Pick<HistoryStep, "event" | "invocation">): void {
    if (this.#disturbed) return;
    if (event.type === "fault" && event.value.outcome !== "skipped") this.#disturbed = true;
    else if ((invocation?.f === "read" || invocation?.f === "write") && event.type !== "invoke")
      this.#slowest = Math.max(this.#slowest, event.time - invocation.time);
  }
}
