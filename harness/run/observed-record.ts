import type { ObservedMessage, ObservedWire } from "../core/messages/observed-wire.ts";
import { boundedWire, type WireRecord } from "../core/messages/wire-record.ts";
import type { Verdict } from "../core/verdict.ts";
import type { History } from "../history/history.ts";

/**
 * The record of what was seen of a run's wire, with each command under the operation of its client that was under way
 * when it was sent.
 */
export function observedRecord(
  { messages, leftOut, keys = [], replication = [], votes = [], ...known }: ObservedWire,
  history: History,
  verdict: Verdict,
): WireRecord {
  const underWay = operationsOf(history);
  const whole = {
    messages: messages.map((message) => ({
      ...message,
      keys: [...message.keys],
      operation: underWay(message),
    })),
    keys,
    replication,
    votes,
    ...known,
  };
  const record = boundedWire(whole, focusOf(verdict, history));
  return { ...record, leftOut: record.leftOut + leftOut };
}

/** When the first violation was over: there a reader looks first. The end of the run where there is none. */
export function focusOf({ properties }: Verdict, { events }: History): number {
  const violations = Object.values(properties).flatMap((found) => found.violations);
  const ends = violations.map(
    ({ overlap, events: proof }) => overlap?.to ?? events[proof.at(-1) ?? -1]?.time ?? Infinity,
  );
  return Math.min(events.at(-1)?.time ?? 0, ...ends);
}

/** One operation of a client: from its invocation until it was over, as far as its client goes on sending for it. */
interface Span {
  readonly index: number;
  readonly from: number;
  to: number;
}

/** For a message: the index of the invocation under which its client sent it; undefined if no operation was under way. */
function operationsOf({ header, events }: History): (message: ObservedMessage) => number | undefined {
  const spans = new Map<number, Span[]>();
  const clients = header.clients ?? 1;
  for (const { process, type, index, time } of events) {
    if (typeof process !== "number") continue;
    const client = process % clients;
    const own = spans.get(client) ?? [];
    spans.set(client, own);
    if (type === "invoke") own.push({ index, from: time, to: Infinity });
    // A client whose operation is indeterminate may still be sending for it.
    else if (type === "ok" || type === "fail") {
      const last = own.at(-1);
      if (last !== undefined) last.to = time;
    }
  }
  return ({ client, sentNs }) => {
    const begun = spans.get(client)?.findLast(({ from }) => from <= sentNs);
    return begun !== undefined && sentNs <= begun.to ? begun.index : undefined;
  };
}
