import type { HistoryEvent } from "../history.ts";
import { BESIDE_OTHERS } from "../unordered.ts";
import type { Hold } from "./hold.ts";

/** The event shows that its client still means to hold, unless it may have come before what others did at that time. */
export function sign(hold: Hold, event: HistoryEvent): void {
  if (hold.forgotten || hold.maybeReplaced || BESIDE_OTHERS in event) return;
  hold.lastSignIndex = event.index;
  hold.lastSignTime = event.time;
}
