import type { ClientEvent, HistoryEvent } from "../core/history.ts";
import type { HoldChange } from "./holds.ts";
import type { Overlap } from "./overlaps.ts";

export type Invocation = Extract<ClientEvent, { type: "invoke" }>;
export type Completion = Extract<ClientEvent, { type: "ok" | "fail" | "info" }>;

/** One event on its way through the checkers, with what the shared evidence made of it. */
export interface Step {
  readonly event: HistoryEvent;
  /** For a completion: what it completes. */
  readonly invocation: Invocation | undefined;
  /** What the event did to the holds, in this order. */
  readonly changes: readonly HoldChange[];
  /** Leases that overlap since this event, and whose holders are two. */
  readonly leaseOverlaps: readonly Overlap[];
}

/** Invocation and completion of an acquire that was granted. */
export interface GrantEvents {
  readonly invocation: Extract<Invocation, { f: "acquire" }>;
  readonly completion: Extract<Completion, { f: "acquire"; type: "ok" }>;
}

/** The grant that this event reports, if it reports one. */
export function grantOf(event: HistoryEvent, invocation: Invocation | undefined): GrantEvents | undefined {
  if (event.type !== "ok" || event.f !== "acquire" || invocation?.f !== "acquire") return undefined;
  return { invocation, completion: event };
}
