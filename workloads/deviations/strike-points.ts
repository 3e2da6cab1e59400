import type { Plan } from "../../harness/core/plan.ts";
import type { Trigger } from "../../harness/core/trigger.ts";
import { topologyOf } from "../../harness/core/topologies/registry.ts";
import { clientName, dataNodes, RESOURCE, type TopologySpec } from "../../harness/core/topology.ts";
import type { WireMessage } from "../../harness/core/messages/wire-message.ts";
import { type History, NANOSECONDS_PER_MS } from "../../harness/history/history.ts";
import {
  type Base,
  type Deadlines,
  holdsLongAgain,
  holdsOnForLong,
  isGrantedForWholeLease,
  isHeldByAnother,
  isTaken,
  restsOnExtension,
} from "./base.ts";
import { besideGrants, besideHolds, besideReleases, betweenOperations } from "./between-messages.ts";
import { type DeviationMoment, momentsOfMessage, type Phase } from "./moments.ts";
import { rankOf, type Roles, rolesIn } from "./roles.ts";
import { askedIn, fewestOf, isAsked, isSameRound, sameGroup } from "./rounds.ts";
import { asksAgain, asksForLong, waitsLong } from "./shape.ts";

type Section = Plan["clients"][number]["sections"][number];

/** A moment of a run without faults at which a deviation can strike. */
export interface StrikePoint {
  readonly at: Trigger;
  readonly phase: Phase;
  readonly words: string;
  /** When it came in that run, in milliseconds since its start. */
  readonly atMs: number;
  readonly client: string;
  /** Whose process is about to go on. */
  readonly of: DeviationMoment["of"];
  /** The servers that the client speaks to at this moment. */
  readonly servers: readonly string[];
  /** Whether it is a message that ends or prolongs a hold. */
  readonly changesHold: boolean;
  /** Whether it is a message of an extension. */
  readonly extendsHold: boolean;
  /** Whether it is a message of a release. */
  readonly endsHold: boolean;
  /** Whether it is a message of an acquire. */
  readonly beginsHold: boolean;
  /** Whether it is a message of an acquire that takes several commands: the lock can change hands between two of them. */
  readonly splitsAcquire: boolean;
  /** Whether it is about the last message of an acquire: no other client can be granted the lock before its reply comes. */
  readonly decidesAcquire: boolean;
  /** Whether it asks for a further key, while the lease of another one is running. */
  readonly isOfFurtherKey: boolean;
  /** Whether it names no key: it changes what no key holds, but what its client concludes from its answer. */
  readonly isKeyless: boolean;
  /** Whether its operation has asked something else about keys before: what it does is half done. */
  readonly isOfHalf: boolean;
  /** Whether another client asks for a key that it names for longer than a lease, as far as that can be told. */
  readonly isOfWantedKey: boolean;
  /** Whether the lease that the message asks for is to be held to its end, while another client waits for it. */
  readonly isForWholeLease: boolean;
  /** Whether it names no key, and is of an acquire in which its client waits for long in one request: to be told of releases. */
  readonly isListening: boolean;
  /** Whether its client renews its leases by itself. */
  readonly isOfRenewer: boolean;
  /** Whether the first client of all has just been granted what another one asks for meanwhile: its connection breaks beside it. */
  readonly isOfWantedHold: boolean;
  /** Whether nothing strikes there but what breaks connections: nothing else of its client happens. Default: false. */
  readonly isOfConnections?: boolean | undefined;
  /** What strikes there is like what strikes at other moments of this sort: the same command at the same point. */
  readonly sort: string;
  /** 0 for what a grant or its end rests on; larger for what matters less. */
  readonly rank: number;
}

/** What changes a hold; a message of no operation renews it. */
const CHANGES: ReadonlySet<string | undefined> = new Set(["release", "extend", undefined]);
/**
 * Of an operation of several commands, where another client asks meanwhile: what one command found may have changed before the
 * next one acts on it.
 */
const SPLIT_RANK = -1;
/** Of what a few workloads have that come late among all. */
const FEW_RANK = -1;
/** Of messages that name no key and set a connection up. */
const KEYLESS_RANK = 1;
/** Of messages that repeat one another, such as those of a caller that tries again and again. */
const REPEATED_RANK = 4;

/**
 * Of independent servers that are asked the same: all of them `together`, as many as do not decide (`minority`), of those that agree
 * as many as it takes (`enough`), or `one`.
 */
export type Struck = "together" | "minority" | "enough" | "one";

/** The moments of a base: at its messages, and between the operations of its clients. */
export function strikePointsOf(base: Base, struck: Struck): readonly StrikePoint[] {
  const { plan, history, messages, deadlines } = base;
  const roles = rolesIn(plan, history);
  const asking = plan.clients.flatMap(({ sections }, index) => (sections.some(asksAgain) ? [clientName(index)] : []));
  const points = [
    ...besideGrants(base),
    ...besideReleases(base),
    ...besideHolds(base, roles),
    ...atMessages(base, struck, roles),
    ...betweenOperations(base, roles),
  ];
  const renewers = new Set(messages.filter(isRenewal).map((message) => clientName(message.client)));
  const deathMs = renewers.size > 0 ? firstFaultMs(history) : 0;
  return points.map((found) => {
    const { client, atMs, sort } = found;
    const point = { ...found, isOfRenewer: renewers.has(client) };
    // A holder that does not know how its hold ended may renew what another one leaves behind.
    if (point.endsHold && atMs < deathMs)
      return { ...point, sort: `${sort}, before a holder dies`, rank: point.rank + FEW_RANK };
    if (point.endsHold && point.isOfRenewer) return { ...point, sort: `${sort}, of who renews` };
    // Whoever is granted the lock between the two commands certainly has it when the second one arrives.
    if (point.splitsAcquire && asking.some((other) => other !== client))
      return { ...point, sort: `${sort}, while another one asks again and again` };
    // A grant that comes late must say how much of its lease is left.
    if (point.beginsHold && isGrantedForWholeLease(deadlines, client, atMs))
      return { ...point, sort: `${sort}, of a hold for a whole lease`, isForWholeLease: true };
    // Where it came to nothing, its client must know.
    if (point.extendsHold && restsOnExtension(deadlines, client, atMs))
      return { ...point, sort: `${sort}, on which a hold rests` };
    // What ends or prolongs a hold must leave the other one alone then, whatever its client is told.
    if (point.changesHold && isHeldByAnother(deadlines, client, atMs))
      return { ...point, sort: `${sort}, while another one holds` };
    // Whoever waits to be told of a release may miss it before it listens.
    if (point.isListening && isTaken(deadlines, client, atMs))
      return { ...point, sort: `${sort}, while it waits for long`, rank: point.rank + FEW_RANK };
    if (holdsLongAgain(deadlines, client, atMs)) return { ...point, sort: `${sort}, before a long hold` };
    return holdsOnForLong(deadlines, client, atMs) ? { ...point, sort: `${sort}, early in a long hold` } : point;
  });
}

function atMessages(
  { plan: { topology, clients }, history: { events }, messages, deadlines }: Base,
  struck: Struck,
  roles: Roles,
): readonly StrikePoint[] {
  const independent = topologyOf(topology.kind).arrangement === "independent";
  const seen = new Map<string, WireMessage[]>();
  // Where votes are counted, those of a lost round are given back by another command, and nothing rests on that.
  const split = independent ? new Set() : splitOperations(messages);
  const last = new Map(messages.filter(({ keys }) => keys.length > 0).map((each) => [each.operation, each]));
  const spoken = messages.filter(({ server }) => server !== RESOURCE);
  const told = spoken.filter((message, index) => !isUnknownScript(message, spoken, index));
  return told.flatMap((message, index) => {
    const { client, server, command, count, operation } = message;
    const invoked = operation === undefined ? undefined : events[operation];
    const isListening =
      message.keys.length === 0 && invoked?.f === "acquire" && clients[client]?.sections.some(waitsLong) === true;
    // Equal servers are asked the same at once: the first of them stands for all, or for those that answer the same.
    const standsFor = (other: WireMessage): boolean =>
      struck === "enough"
        ? isAsked(message, other)
        : isSameRound(other, message) && (struck !== "one" || other.reply === message.reply);
    if (independent && told.slice(0, index).some(standsFor)) return [];
    const servers = independent ? serversOf(message, topology, struck, told) : [server];
    if (servers.length === 0) return [];
    const group = `${client} ${askedIn(message)} ${operation ?? "-"}`;
    const asked = seen.get(group) ?? [];
    const times = asked.length;
    // Another answer than before is news to whoever asks again and again.
    const isNews = message.reply !== asked.at(-1)?.reply;
    seen.set(group, [...asked, message]);
    const isLast = !told
      .slice(index + 1)
      .some((other) => sameGroup(other, message) && askedIn(other) === askedIn(message));
    const earlier = earlierKeys(message, told.slice(0, index));
    const isOfFurtherKey = earlier.size > 0 && message.keys.some((key) => !earlier.has(key));
    const isWanted = clients.some(
      ({ sections }, other) => other !== client && sections.some((section) => asksWithout(section, earlier, message)),
    );
    // Whoever asks for a key that it has taken, and not for this one, gets it when its lease is over.
    const wanted = isWanted ? ", while another client asks for an earlier one without it" : "";
    const further = isOfFurtherKey ? ` of a further key${wanted}` : "";
    // The first renewal prolongs what was granted, and the second one what was renewed.
    const isRenewedBefore = isRenewal(message) && times > 0;
    const isRepeated = times > (isRenewedBefore ? 1 : 0) && !isLast && !isOfFurtherKey && !isNews;
    const again = isRenewedBefore ? " of a lease renewed before" : "";
    const rank =
      rankOf(invoked?.f) +
      (isRepeated ? REPEATED_RANK : 0) +
      (split.has(operation) && isContended(deadlines, message) ? SPLIT_RANK : 0) +
      (isOfFurtherKey && isWanted ? SPLIT_RANK : 0) +
      (isOfSetUp(message, told.slice(0, index), isListening) ? KEYLESS_RANK : 0);
    const round = struck === "one" ? [] : told.filter((other) => isSameRound(message, other));
    return momentsOfRound(message, round).map(({ phase, atNs, trigger, ...moment }): StrikePoint => {
      const words = `${moment.client}'s ${command} ${count} to ${moment.server}`;
      return {
        at: trigger,
        phase,
        words: `${phase === "send" ? "at the sending of" : phase === "reply" ? "at the reply to" : phase} ${words}`,
        atMs: atNs / NANOSECONDS_PER_MS,
        client: moment.client,
        of: moment.of,
        servers,
        splitsAcquire: split.has(operation) && invoked?.f === "acquire",
        decidesAcquire: invoked?.f === "acquire" && last.get(operation) === message,
        isOfFurtherKey,
        isKeyless: message.keys.length === 0,
        isOfHalf: split.has(operation) && isOfHalf(message, told.slice(0, index)),
        isOfWantedKey: isAskedBy(clients, message),
        isForWholeLease: false,
        isListening,
        isOfRenewer: false,
        isOfWantedHold: false,
        beginsHold: message.keys.length > 0 && invoked?.f === "acquire",
        changesHold: message.keys.length > 0 && CHANGES.has(invoked?.f),
        extendsHold: message.keys.length > 0 && invoked?.f === "extend",
        endsHold: message.keys.length > 0 && invoked?.f === "release",
        sort: `${phase} ${roles.ofClient(client)} ${roles.ofOperation(operation)} ${askedIn(message)}${further}${again}`,
        rank,
      };
    });
  });
}

/** The independent servers that are struck at a message. */
function serversOf(
  message: WireMessage,
  { kind }: TopologySpec,
  struck: Struck,
  messages: readonly WireMessage[],
): readonly string[] {
  const all = dataNodes(kind);
  switch (struck) {
    case "together":
      return [...all];
    case "minority":
      return all.slice(0, Math.ceil(all.length / 2) - 1);
    case "enough":
      return fewestOf(message, messages, all.length);
    case "one":
      return [message.server];
  }
}

/**
 * The moments of a message that stands for those to other servers. To keep all of them from their servers, a fault must
 * strike when the first of them comes to its own, which need not be the one that was sent first.
 */
function momentsOfRound(message: WireMessage, others: readonly WireMessage[]): readonly DeviationMoment[] {
  const arrivals = [message, ...others].flatMap((each) =>
    momentsOfMessage(each).filter(({ phase }) => phase === "before"),
  );
  return momentsOfMessage(message).map((moment) =>
    moment.phase === "before"
      ? arrivals.reduce((first, other) => (other.atNs < first.atNs ? other : first), moment)
      : moment,
  );
}

/**
 * Whether a message names no key because it sets its connection up, or belongs to no operation. What an operation asks after it has
 * asked about keys, such as the time, is a part of it; so is what one that waits for long asks then on another connection, such as to be
 * told of releases.
 */
function isOfSetUp(
  { keys, operation, connection }: WireMessage,
  before: readonly WireMessage[],
  isListening: boolean,
): boolean {
  if (keys.length > 0) return false;
  const isPart = (other: WireMessage): boolean =>
    other.connection === connection || (isListening && other.operation === operation);
  return operation === undefined || !before.some((other) => isPart(other) && other.keys.length > 0);
}

/** The keys about which its client asked the server the same before, for this operation: their lease is running. */
function earlierKeys(message: WireMessage, before: readonly WireMessage[]): ReadonlySet<string> {
  if (message.operation === undefined) return new Set();
  const same = before.filter((other) => sameGroup(other, message) && other.server === message.server);
  return new Set(same.flatMap(({ keys }) => keys));
}

/** Whether a section is about one of these keys, and not about those of a message. A lock may keep a key under a longer name. */
function asksWithout({ key, alsoKeys = [] }: Section, earlier: ReadonlySet<string>, { keys }: WireMessage): boolean {
  const asked = [key, ...alsoKeys];
  const isAmong = (stored: string): boolean => asked.some((each) => stored.includes(each));
  return [...earlier].some(isAmong) && !keys.some((stored) => !earlier.has(stored) && isAmong(stored));
}

/**
 * Whether a client but that of a message asks for a key that it names, for longer than a lease; true where no key that is asked for is
 * recognized in it.
 */
function isAskedBy(clients: Plan["clients"], { client, keys }: WireMessage): boolean {
  const isNamed = ({ key, alsoKeys = [] }: Section): boolean =>
    keys.some((stored) => [key, ...alsoKeys].some((each) => stored.includes(each)));
  const isOwn = clients[client]?.sections.some(isNamed) === true;
  const others = clients.flatMap(({ sections }, other) => (other === client ? [] : sections));
  return !isOwn || others.some((section) => asksForLong(section) && isNamed(section));
}

/** Whether the operation of a message has sent another command about keys before. */
function isOfHalf(message: WireMessage, before: readonly WireMessage[]): boolean {
  return before.some(
    (other) => other.operation === message.operation && other.keys.length > 0 && askedIn(other) !== askedIn(message),
  );
}

/** The operations that sent different commands about keys. A renewal may be sent while one is under way, and is no part of it. */
function splitOperations(messages: readonly WireMessage[]): ReadonlySet<number | undefined> {
  const renewing = new Set(messages.filter(isRenewal).map(askedIn));
  const about = messages.filter(
    (message) => message.keys.length > 0 && message.operation !== undefined && !renewing.has(askedIn(message)),
  );
  const commands = Map.groupBy(about, ({ operation }) => operation);
  return new Set(
    [...commands].flatMap(([operation, sent]) => (new Set(sent.map(askedIn)).size > 1 ? [operation] : [])),
  );
}

/** Whether another client asks for the lock when a message is sent, or does so later. */
function isContended({ requests }: Deadlines, { client, sentNs }: WireMessage): boolean {
  return requests.some((other) => other.client !== clientName(client) && other.toMs > sentNs / NANOSECONDS_PER_MS);
}

/** When the first fault of the workload itself began, in milliseconds since the start; 0 if it has none. */
function firstFaultMs({ events }: History): number {
  return (events.find(({ type }) => type === "fault")?.time ?? 0) / NANOSECONDS_PER_MS;
}

/** Whether no operation sent it, but it is about keys. */
function isRenewal({ operation, keys, server }: WireMessage): boolean {
  return operation === undefined && keys.length > 0 && server !== RESOURCE;
}

/** Whether the server answered that it does not know the script: it did nothing, and is sent it once more, in full. */
function isUnknownScript(message: WireMessage, messages: readonly WireMessage[], index: number): boolean {
  if (message.command !== "EVALSHA") return false;
  const { client, server, operation } = message;
  const next = messages.slice(index + 1).find((other) => other.client === client && other.server === server);
  return next?.command === "EVAL" && next.operation === operation;
}
