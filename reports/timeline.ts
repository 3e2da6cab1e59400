import type { AuditEvent, ClientEvent, History, HistoryEvent } from "../harness/core/history.ts";
import type { Completion, Invocation } from "../harness/check/step.ts";
import { collectFaults, type FaultSpan } from "./fault-spans.ts";
import { clientOf, collectHolds, type HoldSpan } from "./hold-spans.ts";
import type { Interval } from "./interval.ts";

/** An invocation with its completion. One without a completion ends with the history and is `info`. */
export interface OperationSpan extends Interval {
  readonly client: number;
  readonly process: number;
  readonly f: ClientEvent["f"];
  readonly key: string;
  readonly outcome: "ok" | "fail" | "info";
  readonly invocation: Invocation;
  readonly completion?: Completion;
}

/** A write as the guarded resource applied or refused it. */
export type WriteMark = AuditEvent["value"] & Pick<AuditEvent, "time" | "index" | "key">;

/** A history in the shape in which it is drawn. Everything in it is in the order of the history. */
export interface Timeline {
  /** Time of the last event. */
  readonly end: number;
  readonly operations: readonly OperationSpan[];
  readonly holds: readonly HoldSpan[];
  readonly faults: readonly FaultSpan[];
  readonly writes: readonly WriteMark[];
  /** The client behind a process: after `info` a client goes on as `process + clients`. */
  clientOf(process: number): number;
}

/** Arranges a history for drawing. It judges nothing: what is wrong with it is the verdict's to say. */
export function timelineOf(history: History): Timeline {
  const { clients } = history.header;
  const client = (process: number): number => clientOf(process, clients);
  const end = history.events.at(-1)?.time ?? 0;
  const operations = collectOperations(history.events, end, client);
  return {
    end,
    operations,
    holds: collectHolds(history.events, operations, end, clients),
    faults: collectFaults(history.events, end),
    writes: collectWrites(history.events),
    clientOf: client,
  };
}

/** The client events of a history, which are all but faults, audits and notices. */
function isClientEvent(event: HistoryEvent): event is ClientEvent {
  return event.type === "invoke" || event.type === "ok" || event.type === "fail" || event.type === "info";
}

function collectOperations(
  events: readonly HistoryEvent[],
  end: number,
  clientOf: (process: number) => number,
): readonly OperationSpan[] {
  const spans: OperationSpan[] = [];
  const open = new Map<number, number>();
  for (const event of events) {
    if (!isClientEvent(event)) continue;
    const { process, f, key, time } = event;
    if (event.type === "invoke") {
      open.set(process, spans.length);
      spans.push({
        client: clientOf(process),
        process,
        f,
        key,
        from: time,
        to: end,
        outcome: "info",
        invocation: event,
      });
      continue;
    }
    const place = open.get(process);
    const begun = place === undefined ? undefined : spans[place];
    if (place === undefined || begun === undefined) continue;
    open.delete(process);
    spans[place] = { ...begun, to: time, outcome: event.type, completion: event };
  }
  return spans;
}

function collectWrites(events: readonly HistoryEvent[]): readonly WriteMark[] {
  return events
    .filter((event) => event.type === "audit")
    .map(({ time, index, key, value }) => ({ time, index, key, ...value }));
}
