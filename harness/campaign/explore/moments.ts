import { clientName, RESOURCE } from "../../core/topology.ts";
import { type Anchor, ANCHORS, type MessageMoment, type Trigger } from "../../core/trigger.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import { clientOf } from "../../history/clients.ts";
import type { History } from "../../history/history.ts";
import { OpenOperations } from "../../history/operations.ts";

/** A place in a run at which a schedule can deviate: a moment of a message, or an event between messages. */
export interface DeviationMoment {
  /** Nanoseconds since the start of the run. */
  readonly atNs: number;
  readonly trigger: Trigger;
  readonly client: string;
  /** The server that the client is speaking to. */
  readonly server: string;
  /** Whose process is about to go on: another host's inputs are the same just before and just after. */
  readonly of: "client" | "server" | "both";
}

/**
 * Events under which their clients exchanged no message with the lock's servers: what they read from and write to the
 * guarded resource. An operation on the lock has the moments of its messages instead.
 * @param spoken indexes of the invocations under which a message was sent
 */
export function eventMoments({ header, events }: History, spoken: ReadonlySet<number>): readonly DeviationMoment[] {
  const open = new OpenOperations();
  const counts = new Map<string, number>();
  const moments: DeviationMoment[] = [];
  for (const event of events) {
    const invocation = open.push(event);
    const on = anchorOf(event.type === "lost" ? "lost" : `${event.f ?? ""}:${event.type}`);
    if (typeof event.process !== "number" || on === undefined) continue;
    const client = clientOf(event.process, header.clients);
    const count = (counts.get(`${client} ${on}`) ?? 0) + 1;
    counts.set(`${client} ${on}`, count);
    if (spoken.has(invocation?.index ?? event.index)) continue;
    const trigger = { on, client, count };
    moments.push({ atNs: event.time, trigger, client: clientName(client), server: RESOURCE, of: "both" });
  }
  return moments;
}

function anchorOf(name: string): Anchor | undefined {
  return ANCHORS.find((anchor) => anchor === name);
}

/**
 * The four moments of each message of a run: its client is about to send it; its server is about to apply it; to answer
 * it; its client is about to read the reply.
 */
export function messageMoments(messages: readonly WireMessage[]): readonly DeviationMoment[] {
  return messages.flatMap((message) => {
    const { client, server, command, count, sentNs, reachedNs, appliedNs, repliedNs } = message;
    const at = (moment: MessageMoment, atNs: number | undefined, of: "client" | "server"): readonly DeviationMoment[] =>
      atNs === undefined
        ? []
        : [{ atNs, trigger: { moment, command, client, server, count }, client: clientName(client), server, of }];
    return [
      ...at("send", sentNs, "client"),
      ...at("before", reachedNs, "server"),
      ...at("after", appliedNs, "server"),
      ...at("reply", repliedNs, "client"),
    ];
  });
}

/** The invocations under which a client sent something to the lock's servers. */
export function spokenUnder(messages: readonly WireMessage[]): ReadonlySet<number> {
  return new Set(messages.flatMap(({ operation }) => (operation === undefined ? [] : [operation])));
}
