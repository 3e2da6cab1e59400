import type { HistoryEvent } from "../history.ts";
import type { InvocationEvent } from "../operations.ts";
import { BESIDE_OTHERS } from "../unordered.ts";
import type { Hold } from "./hold.ts";

/**
 * The event shows that its client still means to hold, unless it may have come before what others did at that time.
 *
 * @param operation the invocation of the operation that it begins or ends, if it does
 */
export function sign(hold: Hold, event: HistoryEvent, operation?: InvocationEvent): void {
  if (hold.forgotten || BESIDE_OTHERS in event) return;
  hold.lastSignIndex = event.index;
  hold.lastSignTime = event.time;
  if (operation?.f !== "write" || event.time <= hold.leaseEnd) return;
  hold.lateWrite = { data: operation.value.data, begun: operation.time, until: event.time };
}

/** The owner value that an operation names, if it names one. */
export function ownerOf({ value }: InvocationEvent): string | undefined {
  return value !== undefined && "owner" in value && typeof value.owner === "string" ? value.owner : undefined;
}
