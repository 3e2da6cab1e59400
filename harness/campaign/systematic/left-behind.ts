import type { Plan } from "../../core/plan.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import { dataNodes, RESOURCE } from "../../core/topology.ts";
import { clientOf } from "../../history/clients.ts";
import { type History, type HistoryEvent, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { Base } from "../../../workloads/deviations/base.ts";
import { askedIn, isDecisive } from "../../../workloads/deviations/rounds.ts";
import type { Struck } from "../../../workloads/deviations/strike-points.ts";

/** A run with one deviation, and when that was over, in nanoseconds since its start. */
export interface Seen extends Pick<Base, "plan" | "history" | "messages"> {
  readonly base: Base;
  readonly overNs: number;
}

/** What a deviation left behind, in words, and where a second one changes what comes of it. */
interface Left {
  readonly name: string;
  readonly struck: readonly WireMessage[];
  /** A second deviation does not strike earlier, in nanoseconds since the start of the run. */
  readonly fromNs: number;
}

/** A way in which a deviation leaves something behind. */
export interface Leaving {
  /** Which of independent servers the first deviation hits, and the second one. */
  readonly first: readonly Struck[];
  readonly second: Struck;
  /**
   * Whether it is about a grant by some of several servers, which is prolonged then: only what keeps an acquire from servers that vote
   * begins such a pair, and what keeps a prolongation from them ends it.
   */
  readonly isOfVotes: boolean;
  /** How many single deviations are run to see what they leave behind in this way. */
  readonly learned: number;
  /** Undefined if nothing was left behind in this way. */
  readonly leftBy: (seen: Seen) => Left | undefined;
}

/**
 * When it is over, clients are told other things than in the run without it. Where servers vote, one of them was left with
 * something else: a second deviation strikes at a later answer that others do not outvote, when a grant has rested on it.
 */
export const toldOtherwise: Leaving = {
  first: ["one"],
  second: "one",
  isOfVotes: false,
  learned: 120,
  leftBy: ({ base, plan, history, messages, overNs }) => {
    const toldBefore = new Set(toldIn(base).values());
    const told = toldIn({ plan, history, messages });
    const news = messages.filter((message) => {
      const words = told.get(message);
      return words !== undefined && message.sentNs >= overNs && !toldBefore.has(words);
    });
    const name = [...new Set(news.map((message) => told.get(message)))].join("\n");
    if (name === "") return undefined;
    const { struck, fromNs } = restingOn(plan, history, news, messages);
    return { name, struck, fromNs: Math.max(overNs, fromNs) };
  },
};

/**
 * A client was granted the lock by some servers only: whether it is prolonged is decided by fewer than all, and a second deviation
 * keeps the client from as many of those as it takes.
 */
export const grantedBySome: Leaving = {
  first: ["minority", "one"],
  second: "enough",
  isOfVotes: true,
  learned: 60,
  leftBy: ({ base, plan, history, messages, overNs }) => {
    const usual = new Map(endsOf(base.plan, base.history).map((end) => [end.name, missingIn(base, end)]));
    for (const end of endsOf(plan, history)) {
      const { event, client, name } = end;
      if (event.f !== "acquire" || event.type !== "ok") continue;
      const missing = missingIn({ plan, messages }, end);
      if (missing <= (usual.get(name) ?? 0)) continue;
      const struck = messages.filter((later) => later.client === client && later.sentNs > event.time);
      // The others may still be out of reach, or answer that they know of no grant.
      const until = struck.some(({ sentNs }) => sentNs < overNs) ? ", and still so" : "";
      return { name: `${base.name}: ${name} without ${missing}${until}`, struck, fromNs: event.time };
    }
    return undefined;
  },
};

/**
 * A client believes something else than in the run without it, although no server may have answered otherwise: whether an operation took
 * effect, or how long its lease still lasts. A second deviation strikes at what that client does then.
 */
export const believedOtherwise: Leaving = {
  first: ["together"],
  second: "together",
  isOfVotes: false,
  learned: 60,
  leftBy: ({ base, plan, history, messages, overNs }) => {
    const before = new Set(endsOf(base.plan, base.history).map(beliefAt));
    const first = endsOf(plan, history).find((end) => !before.has(beliefAt(end)));
    if (first === undefined) return undefined;
    const { client, event } = first;
    const fromNs = Math.max(overNs, event.time);
    const struck = messages.filter((later) => later.client === client && later.sentNs > event.time);
    return { name: `${base.name}: ${beliefAt(first)}`, struck, fromNs };
  },
};

/** The end of an operation of a client. */
interface End {
  readonly event: HistoryEvent;
  /** The index of its invocation. */
  readonly operation: number;
  readonly client: number;
  /** Which operation it is, in words that are equal in two runs. */
  readonly name: string;
}

function endsOf(plan: Plan, history: History): readonly End[] {
  const invoked = invokedIn(plan, history);
  const open = new Map<HistoryEvent["process"], Omit<End, "event">>();
  return history.events.flatMap((event): readonly End[] => {
    const begun = invoked.get(event.index);
    if (begun !== undefined) open.set(event.process, begun);
    const ended = begun === undefined && event.f !== undefined ? open.get(event.process) : undefined;
    return ended === undefined ? [] : [{ ...ended, event }];
  });
}

/** The operations of a history, by the index of their invocation. */
function invokedIn({ clients }: Plan, { events }: History): ReadonlyMap<number, Omit<End, "event">> {
  const counts = new Map<string, number>();
  const invoked = new Map<number, Omit<End, "event">>();
  for (const event of events) {
    if (event.type !== "invoke") continue;
    const client = clientOf(event.process, clients.length);
    const kind = `${client} ${event.f}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    invoked.set(event.index, { operation: event.index, client, name: `${kind} ${count}` });
  }
  return invoked;
}

/** Leases whose rest differs by less than this count as equally long, in milliseconds. */
const SAME_REST_MS = 100;

/** What a client believes when an operation has ended, in words that are equal in two runs. */
function beliefAt({ event, name }: End): string {
  if (event.type !== "ok" || (event.f !== "acquire" && event.f !== "extend")) return `${name} ${event.type}`;
  const { validForMs, grantedAt = event.time } = event.value;
  if (validForMs === undefined) return `${name} ok`;
  const restMs = validForMs - (event.time - grantedAt) / NANOSECONDS_PER_MS;
  return `${name} ok, for ${Math.round(restMs / SAME_REST_MS)}`;
}

/** How many servers did something else with what an operation asked first than most did, or never heard of it. */
function missingIn({ plan, messages }: Pick<Base, "plan" | "messages">, { operation }: End): number {
  const own = messages.filter(
    (each) => each.operation === operation && each.keys.length > 0 && each.server !== RESOURCE,
  );
  const [first] = own;
  const servers = dataNodes(plan.topology.kind).length;
  if (first === undefined) return servers;
  const asked = own.filter((message) => askedIn(message) === askedIn(first) && message.appliedNs !== undefined);
  const latest = new Map(asked.map(({ server, reply }) => [server, reply]));
  const alike = [...Map.groupBy(latest.values(), (reply) => reply).values()];
  return servers - Math.max(0, ...alike.map(({ length }) => length));
}

/**
 * At which messages that were told otherwise a second deviation changes something, and from when on. Where servers vote, that
 * is where others do not outvote the one answer, in operations that succeeded; and when a grant has rested on such an
 * answer, since before that the second deviation only hides what the first one left behind.
 */
function restingOn(
  { topology }: Plan,
  history: History,
  news: readonly WireMessage[],
  messages: readonly WireMessage[],
): { readonly struck: readonly WireMessage[]; readonly fromNs: number } {
  if (topologyOf(topology.kind).arrangement !== "independent") return { struck: news, fromNs: 0 };
  const successes = news.flatMap((message) => {
    const success = successOf(message, history);
    return success !== undefined && isDecisive(message, messages) ? [{ message, ...success }] : [];
  });
  const grants = successes.filter(({ f }) => f === "acquire");
  return { struck: successes.map(({ message }) => message), fromNs: Math.min(...grants.map(({ atNs }) => atNs)) };
}

/** The operation that a message was sent for, and when it succeeded; undefined if it did not. A renewal is of none. */
function successOf({ operation, sentNs }: WireMessage, { events }: History) {
  if (operation === undefined) return { f: undefined, atNs: sentNs };
  const invoked = events[operation];
  if (invoked === undefined) return undefined;
  const ended = events.find((event, index) => index > operation && event.process === invoked.process);
  return ended?.type === "ok" ? { f: invoked.f, atNs: ended.time } : undefined;
}

/** What each message about keys was told, in words that are equal in two runs where the same happened. */
function toldIn({
  plan,
  history,
  messages,
}: Pick<Base, "plan" | "history" | "messages">): ReadonlyMap<WireMessage, string> {
  const invoked = invokedIn(plan, history);
  const told = new Map<WireMessage, string>();
  for (const message of messages) {
    const { client, server, command, keys, operation = -1, reply = "none" } = message;
    if (server === RESOURCE || keys.length === 0) continue;
    told.set(message, `${client} ${invoked.get(operation)?.name ?? "-"} ${server} ${command}: ${reply}`);
  }
  return told;
}
