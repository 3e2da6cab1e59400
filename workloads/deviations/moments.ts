import { ANCHORS, type Anchor, type MessageMoment, type Trigger } from "../../harness/core/trigger.ts";
import { clientName, RESOURCE } from "../../harness/core/topology.ts";
import type { WireMessage } from "../../harness/core/messages/wire-message.ts";
import { clientOf } from "../../harness/history/clients.ts";
import type { History, HistoryEvent } from "../../harness/history/history.ts";
import { OpenOperations } from "../../harness/history/operations.ts";

/**
 * Where a moment lies. Of a message: its client is about to send it (`send`), it has come to its server (`before`), the
 * server has applied it (`after`), its reply has come to its client (`reply`). Or `between` messages, at an event.
 */
export type Phase = MessageMoment | "between";

/** A moment of a run at which a schedule can deviate: of a message, or at an event of a client. */
export interface DeviationMoment {
  readonly phase: Phase;
  /** Nanoseconds since the start of the run. */
  readonly atNs: number;
  readonly trigger: Trigger;
  readonly client: string;
  /** The server that the client is speaking to: the guarded resource at an event. */
  readonly server: string;
  /** Whose process is about to go on: another host's inputs are the same just before and just after. */
  readonly of: "client" | "server" | "both";
}

/** An event of a client's operation, and when it was. */
export interface EventMoment extends DeviationMoment {
  readonly phase: "between";
  readonly trigger: { readonly on: Anchor; readonly client: number; readonly count: number };
  readonly event: HistoryEvent;
  readonly on: Anchor;
  /** The index of the invocation of its operation. */
  readonly operation: number;
}

const OF_MESSAGE = [
  ["before", "reachedNs", "server"],
  ["after", "appliedNs", "server"],
  ["send", "sentNs", "client"],
  ["reply", "repliedNs", "client"],
] as const;

/** The moments of a message that came in its run. */
export function momentsOfMessage(message: WireMessage): readonly DeviationMoment[] {
  const { client, server, command, count } = message;
  return OF_MESSAGE.flatMap(([phase, time, of]): readonly DeviationMoment[] => {
    const atNs = message[time];
    if (atNs === undefined) return [];
    const trigger = { moment: phase, command, client, server, count };
    return [{ phase, atNs, trigger, client: clientName(client), server, of }];
  });
}

/** The events of clients that a fault can wait for. */
export function momentsAtEvents({ header, events }: History): readonly EventMoment[] {
  const open = new OpenOperations();
  const counts = new Map<string, number>();
  return events.flatMap((event): readonly EventMoment[] => {
    const invocation = open.push(event);
    const on = anchorOf(event.type === "lost" ? "lost" : `${event.f ?? ""}:${event.type}`);
    if (typeof event.process !== "number" || on === undefined) return [];
    const index = clientOf(event.process, header.clients);
    const count = (counts.get(`${index} ${on}`) ?? 0) + 1;
    counts.set(`${index} ${on}`, count);
    return [
      {
        phase: "between",
        atNs: event.time,
        trigger: { on, client: index, count },
        client: clientName(index),
        server: RESOURCE,
        of: "both",
        event,
        on,
        operation: invocation?.index ?? event.index,
      },
    ];
  });
}

function anchorOf(name: string): Anchor | undefined {
  return ANCHORS.find((anchor) => anchor === name);
}
