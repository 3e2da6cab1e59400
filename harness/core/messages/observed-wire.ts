import type { WireMessage } from "./wire-message.ts";
import type { WireRecord } from "./wire-record.ts";

/** A command as a recording has it; which operation it belongs to, the history says later. */
export type ObservedMessage = Omit<WireMessage, "operation">;

/** What a system that cannot look into its servers saw of the wire, from the start of the run on. */
export interface ObservedWire extends Pick<WireRecord, "seenAt" | "gaps"> {
  /** In the order of sending. */
  readonly messages: readonly ObservedMessage[];
  /** How many messages were seen beyond those. */
  readonly leftOut: number;
}
