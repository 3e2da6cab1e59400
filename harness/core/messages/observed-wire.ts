import type { WireMessage } from "./wire-message.ts";
import type { WireRecord } from "./wire-record.ts";

/** A command as a recording has it; which operation it belongs to, the history says later. */
export type ObservedMessage = Omit<WireMessage, "operation">;

/** What a system in real time saw of the wire, and of its servers where it can look into them, since the run began. */
export interface ObservedWire
  extends Pick<WireRecord, "seenAt" | "gaps">, Partial<Pick<WireRecord, "keys" | "replication" | "votes">> {
  /** In the order of sending. */
  readonly messages: readonly ObservedMessage[];
  /** How many messages were seen beyond those. */
  readonly leftOut: number;
}
