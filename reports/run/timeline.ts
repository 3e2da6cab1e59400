import { knownTopology } from "../../harness/core/topologies/registry.ts";
import { clientOf } from "../../harness/history/clients.ts";
import type { AuditEvent, History, HistoryEvent, QueuedEvent } from "../../harness/history/history.ts";
import { collectHolds, type HoldSpan } from "../../harness/history/hold-spans.ts";
import { collectOperations, type OperationSpan } from "../../harness/history/operation-spans.ts";
import type { WireRecord } from "../../harness/core/messages/wire-record.ts";
import { serverBands, type ServerBand, withoutCopies } from "./server-bands.ts";
import { collectFaults, type FaultSpan } from "./fault-spans.ts";

/** A write as the guarded resource applied or refused it. */
export type WriteMark = AuditEvent["value"] & Pick<AuditEvent, "time" | "index" | "key">;

/** A place in the queue for a key, as the lock told it to a client. */
type QueueMark = Pick<QueuedEvent, "time" | "index" | "key"> & { readonly client: number };

/** One of several independent servers votes, and the majority grants; a server alone, or a master, grants. */
type GivesTwice = "votes twice" | "grants twice";

/** A history arranged for drawing. Everything in it is in the order of the history. */
export interface Timeline {
  /** Time of the last event. */
  readonly end: number;
  readonly operations: readonly OperationSpan[];
  readonly holds: readonly HoldSpan[];
  readonly faults: readonly FaultSpan[];
  readonly writes: readonly WriteMark[];
  /** When the lock told a client that it stands in its queue. */
  readonly queued: readonly QueueMark[];
  /** What servers thought, where that was recorded. */
  readonly bands: readonly ServerBand[];
  /** What a server does that gives a key to a second client within the lease of the first. */
  readonly givesTwice: GivesTwice;
  /** What went over the wire, where that was recorded. */
  readonly wire?: WireRecord | undefined;
  /** The client behind a process: after `info` a client goes on as `process + clients`. */
  clientOf(process: number): number;
}

/**
 * Arranges a history for drawing. It judges nothing: the verdict says what is wrong.
 * @param wire what was recorded beside it
 */
export function timelineOf(history: History, wire?: WireRecord): Timeline {
  const { clients, topology } = history.header;
  const arrangement = knownTopology(topology)?.arrangement;
  const client = (process: number): number => clientOf(process, clients);
  const end = history.events.at(-1)?.time ?? 0;
  const holds = collectHolds(history.events, end, clients);
  const faults = collectFaults(history.events, end);
  const bands = wire === undefined ? [] : serverBands(wire, { holds, faults, end });
  return {
    end,
    operations: collectOperations(history.events, end, clients),
    holds,
    faults,
    bands: arrangement === "replicated" ? withoutCopies(bands) : bands,
    givesTwice: arrangement === "independent" ? "votes twice" : "grants twice",
    wire,
    queued: history.events
      .filter((event) => event.type === "queued")
      .map(({ time, index, key, process }) => ({ time, index, key, client: client(process) })),
    writes: collectWrites(history.events),
    clientOf: client,
  };
}

function collectWrites(events: readonly HistoryEvent[]): readonly WriteMark[] {
  return events
    .filter((event) => event.type === "audit")
    .map(({ time, index, key, value }) => ({ time, index, key, ...value }));
}
