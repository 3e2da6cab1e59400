import type { Loss } from "../recorders/replaced-holds.ts";
import type { HistoryEvent } from "../../history/history.ts";
import type { HoldChange } from "../../history/holds.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import type { Overlap } from "./overlaps.ts";

/** One event on its way through the checkers, with what the shared evidence made of it. */
export interface HistoryStep {
  readonly event: HistoryEvent;
  /** For a completion: the invocation that it completes. */
  readonly invocation: InvocationEvent | undefined;
  /** What the event did to the holds, in this order. */
  readonly changes: readonly HoldChange[];
  /** Overlaps of leases of two different holders that begin with this event. */
  readonly leaseOverlaps: readonly Overlap[];
  /** If a release found nothing: the end of its hold that another acquire of its client may have brought about. */
  readonly loss?: Loss | undefined;
}
