import type { Caller } from "../../command.ts";
import type { Consumer, ConsumerGroup, PendingEntry } from "../../keyspace/consumer-group.ts";
import { formatId } from "../../keyspace/stream-id.ts";
import { readAs } from "../../arguments.ts";
import type { Stream } from "../../keyspace/stream.ts";

/** A consumer group with the names under which a command asked for it. */
export interface NamedGroup {
  readonly key: string;
  readonly name: string;
  readonly stream: Stream;
  readonly group: ConsumerGroup;
}

/** The group of a stream that a command reads; undefined where there is no such key or group. */
export function groupOf(caller: Caller, key: string, name: string): NamedGroup | undefined {
  return groupIn(readAs(caller, key, "stream")?.stream, key, name);
}

export function groupIn(stream: Stream | undefined, key: string, name: string): NamedGroup | undefined {
  const group = stream?.groups.get(name);
  return stream === undefined || group === undefined ? undefined : { key, name, stream, group };
}

/**
 * Propagates what became of a pending entry. What a read or a claim does depends on the time and on what other consumers
 * did, so replicas get the outcome, one entry at a time.
 */
export function propagateEntry(caller: Caller, { key, name, group }: NamedGroup, entry: PendingEntry): void {
  const { id, consumer, deliveredAtMs, deliveries } = entry;
  const outcome = ["TIME", String(deliveredAtMs), "RETRYCOUNT", String(deliveries), "FORCE", "JUSTID"];
  const lastId = ["LASTID", formatId(group.lastId)];
  const claim = ["XCLAIM", key, name, consumer.name, "0", formatId(id), ...outcome, ...lastId];
  caller.server.effects.add(caller.db.id, claim);
}

/** Propagates how far a group has come. */
export function propagateProgress(caller: Caller, { key, name, group }: NamedGroup): void {
  const read = String(group.entriesRead ?? -1n);
  caller.server.effects.add(caller.db.id, ["XGROUP", "SETID", key, name, formatId(group.lastId), "ENTRIESREAD", read]);
}

/** The consumer of that name, which is made where there is none. Either way it was seen now. */
export function seenConsumer(
  caller: Caller,
  { key, name, group }: NamedGroup,
  consumerName: string,
  propagates = false,
): Consumer {
  const { server } = caller;
  const known = group.consumers.get(consumerName);
  if (known !== undefined) {
    known.seenAtMs = server.nowMs;
    return known;
  }
  const consumer = createConsumer(caller, key, group, consumerName);
  if (propagates) server.effects.add(caller.db.id, ["XGROUP", "CREATECONSUMER", key, name, consumerName]);
  return consumer;
}

export function createConsumer(caller: Caller, key: string, group: ConsumerGroup, name: string): Consumer {
  const consumer = group.addConsumer(name, caller.server.nowMs);
  caller.server.dirty += 1;
  caller.db.notify("t", "xgroup-createconsumer", key);
  return consumer;
}
