import { pausesClients } from "../../harness/core/fault-traits.ts";
import { printable } from "../../harness/core/printable.ts";
import { knownTopology } from "../../harness/core/topologies/registry.ts";
import { RESOURCE } from "../../harness/core/topology.ts";
import { isPromotion, type FaultSpan } from "./fault-spans.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { touches, type Interval } from "../../harness/history/interval.ts";
import { holdsIn, momentsOf } from "./moments.ts";
import { aboutKeys, type Story } from "./story.ts";
import type { OperationSpan } from "../../harness/history/operation-spans.ts";
import type { WireRecord } from "../../harness/core/messages/wire-record.ts";
import type { ServerBand } from "./server-bands.ts";
import type { Timeline } from "./timeline.ts";
import { drawnOwner } from "../wording.ts";

/** A message from one line of the diagram to another. Times are nanoseconds since the start of the run. */
export interface Message {
  readonly from: { readonly line: string; readonly time: number };
  readonly to: { readonly line: string; readonly time: number };
  readonly label: string;
  readonly kind: "request" | "granted" | "refused" | "reply";
}

/** A violation as a Lamport diagram: one line per process, time along it, messages between them. */
export interface SpaceTime {
  /** From left to right: the earlier holder, the servers it asks, the later holder and other clients, the resource. */
  readonly lines: readonly string[];
  /** Nodes that faults hit and that no known message reaches; they are to the right of all others. */
  readonly bystanders: readonly string[];
  readonly messages: readonly Message[];
  readonly holds: readonly HoldSpan[];
  readonly faults: readonly FaultSpan[];
  /** What servers thought. */
  readonly bands: readonly ServerBand[];
  /**
   * Where messages were seen. At servers: their arrival there is recorded. At a proxy: when they went and were answered
   * there. Nowhere: which messages there were, and when, is assumed.
   */
  readonly seenAt: "servers" | "proxy" | "nowhere";
  /** Every time at which something is drawn, ascending. */
  readonly times: readonly number[];
  readonly window: Interval;
}

const MOST_OPERATIONS = 16;
/** More arrows than this nobody can tell apart. */
const MOST_MESSAGES = 120;

/**
 * The messages of a story: those that were recorded, or else those that must have been. A history records what clients
 * requested and were answered, not the messages between servers. So a message to the lock arrives half-way between an
 * operation's invocation and the moment at which its client had the answer; the topology and the observed promotions
 * say at which node. A client that was stopped in between completed the operation later than that. A write arrives
 * when the resource applied it.
 */
export function spaceTimeOf(story: Story, timeline: Timeline, topology: string | undefined): SpaceTime {
  const told = new Set(momentsOf(story, timeline, MOST_OPERATIONS).moments.map(({ index }) => index));
  for (const index of story.violation.events) told.add(index);
  const promotions = timeline.faults.filter(isPromotion);
  const arrivals = new Map(
    timeline.writes.map(({ time, key, data }) => [JSON.stringify([key, data]), { time, index: 0 }]),
  );
  const audits = new Map(timeline.writes.map(({ index, key, data }) => [JSON.stringify([key, data]), index]));
  const operations = timeline.operations.filter(
    (span) =>
      touches(span, story.window) &&
      (told.has(span.invocation.index) ||
        told.has(span.completion?.index) ||
        told.has(audits.get(writeId(span) ?? "") ?? -1)),
  );
  const messages: Message[] = operations.flatMap((span): readonly Message[] => {
    if (span.f === "write" || span.f === "read") {
      const applied = arrivals.get(writeId(span) ?? "")?.time;
      // An audit line may be recorded after the reply, but the write was applied before it.
      const within = applied !== undefined && applied >= span.from && applied <= span.to;
      return messagesOf(span, RESOURCE, within ? applied : (span.from + span.to) / 2);
    }
    const recorded = recordedMessages(span, timeline.wire);
    if (recorded.length > 0) return recorded;
    const answered = answeredAt(span, timeline.faults);
    const [asked, since] = lockLine(topology, promotions, answered);
    return messagesOf(span, asked, (Math.max(span.from, since) + answered) / 2);
  });
  messages.push(...replicationIn(story, timeline));
  messages.splice(MOST_MESSAGES);
  const holds = holdsIn(story, timeline);
  const lines = linesOf(story, messages);
  const bands = aboutKeys(story, timeline).bands.filter(
    (band) => lines.includes(band.server) && touches(band, story.window),
  );
  const bystanders = story.lanes.filter((lane) => !lines.includes(lane));
  const faults = story.faults.filter(({ lanes }) =>
    lanes.some((lane) => story.lanes.includes(lane) || lines.includes(lane)),
  );
  return {
    lines,
    bystanders,
    messages,
    holds,
    faults,
    bands,
    seenAt: timeline.wire === undefined ? "nowhere" : (timeline.wire.seenAt ?? "servers"),
    times: timesOf(messages, holds, faults, story),
    window: story.window,
  };
}

/**
 * When the client had the answer: a grant may say so; when the client was stopped meanwhile, the answer is assumed to
 * have come before.
 */
function answeredAt(span: OperationSpan, faults: readonly FaultSpan[]): number {
  const { completion, from, to } = span;
  const granted =
    completion?.type === "ok" && (completion.f === "acquire" || completion.f === "extend")
      ? completion.value.grantedAt
      : undefined;
  if (granted !== undefined) return Math.min(Math.max(granted, from), to);
  const stopped = faults.find(
    (fault) => pausesClients(fault.traits) && fault.lanes.includes(span.actor) && fault.from > from && fault.from < to,
  );
  return stopped?.from ?? to;
}

/**
 * The commands of an operation that named keys, as they were recorded. One that never arrived has no arrow. Where a proxy
 * saw them, an answered command arrived at some time in between, drawn half-way; and of one without a reply nobody knows
 * whether it arrived.
 */
function recordedMessages(
  { actor: line, f, invocation }: OperationSpan,
  wire: WireRecord | undefined,
): readonly Message[] {
  const sent = (wire?.messages ?? []).filter(
    ({ operation, keys }) => operation === invocation.index && keys.length > 0,
  );
  return sent.flatMap(
    ({ server, command, keys, sentNs, reachedNs, appliedNs, repliedNs, reply = "" }): readonly Message[] => {
      const seen = wire?.seenAt === "proxy" ? (sentNs + (repliedNs ?? sentNs)) / 2 : reachedNs;
      if (seen === undefined) return [];
      const unanswered = wire?.seenAt === "proxy" && repliedNs === undefined ? ", no reply seen" : "";
      const label = printable(`${command} ${keys[0] ?? ""}${unanswered}`);
      const request = {
        from: { line, time: sentNs },
        to: { line: server, time: seen },
        label,
        kind: "request",
      } as const;
      if (repliedNs === undefined) return [request];
      const refused = ["nil", "0", "false"].includes(reply);
      const kind = f !== "acquire" ? "reply" : refused ? "refused" : "granted";
      const ends = { from: { line: server, time: appliedNs ?? seen }, to: { line, time: repliedNs } };
      return [request, { ...ends, label: replyWord(reply), kind }];
    },
  );
}

/** A reply on an arrow: of a long one, such as an error, the first word. */
function replyWord(reply: string): string {
  const [first = ""] = reply.split(" ");
  return printable(reply.length <= 12 ? reply : first.slice(0, 12));
}

function replicationIn({ window, violation, holds }: Story, { wire }: Timeline): readonly Message[] {
  const keys = new Set(holds.map(({ key }) => key));
  const focus = { from: window.from, to: violation.overlap?.to ?? window.to };
  return (wire?.replication ?? [])
    .filter(({ key, sentNs, appliedNs }) => keys.has(key) && touches({ from: sentNs, to: appliedNs }, focus))
    .map(({ from, to, key, sentNs, appliedNs }) => ({
      from: { line: from, time: sentNs },
      to: { line: to, time: appliedNs },
      label: `replicates ${printable(key)}`,
      kind: "reply",
    }));
}

function writeId({ f, key, invocation }: OperationSpan): string | undefined {
  return f === "write" && invocation.f === "write" ? JSON.stringify([key, invocation.value.data]) : undefined;
}

/**
 * The node that answers a client at a time, and since when it could; several independent nodes count as one line. A
 * client that waited through a failover was answered by the new master.
 */
function lockLine(
  topology: string | undefined,
  promotions: readonly FaultSpan[],
  time: number,
): readonly [string, number] {
  const known = knownTopology(topology);
  if (known === undefined) return ["the lock", 0];
  if (known.arrangement !== "replicated") return [known.lockLine, 0];
  const last = promotions.findLast(({ from }) => from <= time);
  return [last?.targets[0] ?? known.lockLine, last?.from ?? 0];
}

function messagesOf(span: OperationSpan, asked: string, arrival: number): readonly Message[] {
  const line = span.actor;
  const request: Message = {
    from: { line, time: span.from },
    to: { line: asked, time: arrival },
    label: requestLabel(span),
    kind: "request",
  };
  if (span.completion === undefined || span.outcome === "info") return [request];
  const kind = span.outcome === "fail" ? "refused" : span.f === "acquire" ? "granted" : "reply";
  return [
    request,
    { from: { line: asked, time: arrival }, to: { line, time: span.to }, label: replyLabel(span), kind },
  ];
}

function requestLabel({ f, key, invocation }: OperationSpan): string {
  if (invocation.f !== "write") return `${f} ${printable(key)}`;
  const { data, fence } = invocation.value;
  return `write ${printable(data)}${fence === undefined ? "" : `, fencing token ${fence}`}`;
}

function replyLabel({ completion }: OperationSpan): string {
  if (completion?.type === "fail") return printable(completion.value?.reason ?? "refused");
  if (completion?.type !== "ok") return "";
  if (completion.f === "acquire" || completion.f === "extend") {
    const { owner, fence } = completion.value;
    return `ok, ${fence === undefined ? `owner ${drawnOwner(owner)}` : `fencing token ${fence}`}`;
  }
  if (completion.f === "release") return completion.value.released ? "released" : "not held";
  return "ok";
}

function linesOf(story: Story, messages: readonly Message[]): readonly string[] {
  const [first = "", ...others] = [
    ...new Set([...story.holds.map(({ actor }) => actor), ...story.lanes.filter(isClient)]),
  ];
  const ends = messages.flatMap(({ from, to }) => [from.line, to.line]);
  const asked = [...new Set(ends)].filter((line) => !isClient(line) && line !== RESOURCE);
  const writes = ends.includes(RESOURCE) || story.lanes.includes(RESOURCE);
  const clients = [...new Set([...others, ...ends.filter(isClient)])].filter((line) => line !== first);
  return [first, ...asked.sort(), ...clients, ...(writes ? [RESOURCE] : [])].filter((line) => line !== "");
}

function isClient(line: string): boolean {
  return line.startsWith("client-");
}

function timesOf(
  messages: readonly Message[],
  holds: readonly HoldSpan[],
  faults: readonly FaultSpan[],
  { window, violation }: Story,
): readonly number[] {
  const all = [
    ...messages.flatMap(({ from, to }) => [from.time, to.time]),
    ...holds.flatMap(({ from, to, lease }) => [from, to, ...lease.map((part) => part.to)]),
    ...faults.flatMap(({ from, to }) => [from, to]),
    ...(violation.overlap === undefined ? [] : [violation.overlap.from, violation.overlap.to]),
  ];
  return [...new Set(all.filter((time) => time >= window.from && time <= window.to))].sort((a, b) => a - b);
}
