import { knownTopology } from "../../harness/core/topologies/registry.ts";
import { actorOf, actorsOf, clientOf } from "../../harness/history/clients.ts";
import type { AuditEvent, History, HistoryEvent, QueuedEvent } from "../../harness/history/history.ts";
import { collectHolds, type HoldSpan } from "../../harness/history/hold-spans.ts";
import { collectOperations, type OperationSpan } from "../../harness/history/operation-spans.ts";
import type { WireRecord } from "../../harness/core/messages/wire-record.ts";
import { serverBands, type ServerBand, withoutCopies } from "./server-bands.ts";
import { collectFaults, type FaultSpan } from "./fault-spans.ts";

/** A write as the guarded resource applied or refused it. */
export type WriteMark = AuditEvent["value"] & Pick<AuditEvent, "time" | "index" | "key">;

/** A place in the queue for a key, as the lock told it to a client. */
type QueueMark = Pick<QueuedEvent, "time" | "index" | "key"> & { readonly actor: string };

/** One of several independent servers votes, and the majority grants; a server alone, or a master, grants. */
type GivesTwice = "votes twice" | "grants twice";

/** A history arranged for drawing. Everything in it is in the order of the history. */
export interface Timeline {
  /** Time of the last event. */
  readonly end: number;
  readonly operations: readonly OperationSpan[];
  /** Whoever asked for something, by name, in the order of the clients: clients, or tasks of them. */
  readonly actors: readonly string[];
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
  /** Who acts under a process, by name: the client, or a task of it. Each has a lane. */
  actorOf(process: number): string;
}

/**
 * Arranges a history for drawing. It judges nothing: the verdict says what is wrong.
 * @param wire what was recorded beside it
 */
export function timelineOf(history: History, wire?: WireRecord): Timeline {
  const { header } = history;
  const { clients, topology } = header;
  const arrangement = knownTopology(topology)?.arrangement;
  const actor = (process: number): string => actorOf(process, header);
  const end = history.events.at(-1)?.time ?? 0;
  const holds = collectHolds(history.events, end, header);
  // What hits a client hits all its tasks.
  const faults = collectFaults(history.events, end).map((fault) => ({
    ...fault,
    lanes: fault.lanes.flatMap((lane) => actorsOf(lane, header)),
  }));
  const bands = wire === undefined ? [] : serverBands(wire, { holds, faults, end });
  const operations = collectOperations(history.events, end, header);
  return {
    end,
    operations,
    actors: [...new Set(operations.map(({ actor }) => actor))].sort(byNumber),
    holds,
    faults,
    bands: arrangement === "replicated" ? withoutCopies(bands) : bands,
    givesTwice: arrangement === "independent" ? "votes twice" : "grants twice",
    wire,
    queued: history.events
      .filter((event) => event.type === "queued")
      .map(({ time, index, key, process }) => ({ time, index, key, actor: actor(process) })),
    writes: collectWrites(history.events),
    clientOf: (process) => clientOf(process, clients),
    actorOf: actor,
  };
}

/** Made once: `localeCompare` with options would make one for each comparison. */
const NUMERIC = new Intl.Collator("en", { numeric: true });

/** Orders names such as `client-2` and `client-10` by their numbers. */
export function byNumber(one: string, other: string): number {
  return NUMERIC.compare(one, other);
}

function collectWrites(events: readonly HistoryEvent[]): readonly WriteMark[] {
  return events
    .filter((event) => event.type === "audit")
    .map(({ time, index, key, value }) => ({ time, index, key, ...value }));
}
