import type { WireRecord } from "../../harness/core/messages/wire-record.ts";
import { count } from "../wording.ts";

/** Above those sentences. */
export const WIRE_TITLE = "Messages: what was seen, and what was not";

/**
 * What a proxy saw of the wire and what nobody saw, in sentences; empty where all was observed, or nothing was recorded.
 */
export function wireWords(wire: WireRecord | undefined): readonly string[] {
  if (wire?.seenAt === undefined) return [];
  const { messages, leftOut, gaps = [] } = wire;
  const unanswered = messages.filter(({ repliedNs }) => repliedNs === undefined).length;
  const seen =
    messages.length === 0
      ? "no command passed"
      : `${count(messages.length, "command")} passed, ${unanswered === 0 ? "all of them answered" : `${unanswered} of them without a reply`}`;
  const rest = leftOut === 0 ? [] : [`not kept for lack of room: ${count(leftOut, "further command")}`];
  return [`between clients and servers ${seen}`, ...rest, ...gaps];
}
