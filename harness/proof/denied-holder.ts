import { probeReason, PROBED, type Probed } from "../client/altered-driver.ts";
import { type FaultTraits, killsClients, mayCopyLocks, pausesClients } from "../core/fault-traits.ts";
import type { Hypothesis, Violation } from "../core/verdict.ts";
import { clientOf } from "../history/clients.ts";
import { FaultTimeline, RECORDING_DELAY_NS } from "../history/fault-timeline.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import { completionOf } from "../history/operations.ts";
import { ordinalOf } from "./ordinals.ts";

/** A holder that was told that it holds nothing: the release that said so. */
export interface DeniedHolder {
  readonly client: number;
  /** Which of this client's releases, counted from 1. */
  readonly ordinal: number;
  readonly key: string;
  /** Index of the release's invocation. */
  readonly invoked: number;
}

/**
 * The holder that a violation says was told that it holds nothing, if a try of another owner can show whether that was
 * true: nobody else may have got the key meanwhile, by an acquire or an extension, and no older copy of it may be left. A grant
 * of unknown outcome would refuse that try, too, and so might servers that cannot be reached; and of what a fault, or the
 * release of another client, does to the key during the release the try shows nothing.
 */
export function deniedHolder(violation: Violation, history: History): DeniedHolder | undefined {
  const denial = denialIn(violation, history);
  if (denial === undefined) return undefined;
  const { grant, release, answer } = denial;
  if (mayBeDisturbed(history, { grant, release, answer })) return undefined;
  const { clients } = history.header;
  const ordinal = ordinalOf(history, release);
  if (ordinal === undefined) return undefined;
  return { client: clientOf(release.process, clients), ordinal, key: release.key, invoked: release.index };
}

/** A release that said that its client held nothing, its answer, and the grant that the client held by. */
export function denialIn({ finding }: Violation, { events }: History) {
  const shown = (finding?.events ?? []).flatMap((index) => events.find((event) => event.index === index) ?? []);
  const grant = shown.findLast((event) => event.type === "ok" && event.f === "acquire");
  const release = shown.findLast((event) => event.type === "invoke" && event.f === "release");
  const answer = shown.at(-1);
  if (grant === undefined || release === undefined || answer === undefined) return undefined;
  if (answer.type !== "ok" || answer.f !== "release" || answer.value.released) return undefined;
  return { grant, release, answer };
}

/** A hold from its grant to the answer to its release. */
interface Ended {
  readonly grant: HistoryEvent;
  readonly release: HistoryEvent;
  readonly answer: HistoryEvent;
}

/** Whether anything else than the lock's own state may be what a try of another owner finds at the end of this hold. */
function mayBeDisturbed(history: History, { grant, release, answer }: Ended): boolean {
  if (mayBeAnothers(history, grant, answer) || mayBeTaken(history, grant, release, answer)) return true;
  return mayBeByFaults(history, release, answer);
}

/** Whether an acquire may have been granted beside this grant, or after it, before the answer. */
function mayBeAnothers({ events }: History, grant: HistoryEvent, answer: HistoryEvent): boolean {
  const key = "key" in grant ? grant.key : undefined;
  const asked = events.filter(
    (event) => event.type === "invoke" && event.f === "acquire" && event.key === key && event.index < answer.index,
  );
  return asked.some((invocation) => {
    const completion = completionOf(invocation, events);
    if (completion === undefined || completion.type === "info") return true;
    return completion.type === "ok" && completion.index > grant.index;
  });
}

/**
 * Whether another client may have extended a lease into this hold, or may have released the lock while its holder did: the
 * holder may have been told the truth, although a try that comes a moment earlier finds the key taken.
 */
function mayBeTaken(
  { events, header }: History,
  grant: HistoryEvent,
  release: HistoryEvent,
  answer: HistoryEvent,
): boolean {
  const key = "key" in grant ? grant.key : undefined;
  const { clients } = header;
  const own = clientOf(Number(release.process), clients);
  return events.some((event) => {
    if (event.type === "renewed") return event.key === key && event.process !== grant.process && isWithin(event);
    if (event.type !== "invoke" || event.index === release.index || event.index > answer.index) return false;
    if ((event.f !== "extend" && event.f !== "release") || event.key !== key || isOwn(event)) return false;
    const end = completionOf(event, events);
    if (end === undefined) return true;
    // Its own unanswered release came before what it does now; another client's may come late.
    if (end.type === "info") return event.f === "extend" || clientOf(event.process, clients) !== own;
    return end.type === "ok" && end.index > (event.f === "extend" ? grant.index : release.index);
  });
  function isOwn(event: Extract<HistoryEvent, { type: "invoke"; f: "extend" | "release" }>): boolean {
    return grant.type === "ok" && grant.f === "acquire" && event.value.owner === grant.value.owner;
  }
  function isWithin({ index }: HistoryEvent): boolean {
    return index > grant.index && index < answer.index;
  }
}

/** Whether a fault of servers or links was in force at the release, or one before it may have left an older copy of the lock. */
function mayBeByFaults({ events }: History, release: HistoryEvent, answer: HistoryEvent): boolean {
  const faults = FaultTimeline.of(events);
  const until = answer.time + RECORDING_DELAY_NS;
  const isOfServers = (traits: FaultTraits): boolean => !pausesClients(traits) && !killsClients(traits);
  return faults.anyDuring(mayCopyLocks, 0, until) || faults.anyDuring(isOfServers, release.time, until);
}

/** What a try of another owner found in place of the release, in a run in which it was made. */
export function probedIn(history: History, denied: DeniedHolder): Probed {
  const invocation = history.events.find(
    (event) =>
      event.type === "invoke" &&
      event.f === "release" &&
      clientOf(event.process, history.header.clients) === denied.client &&
      ordinalOf(history, event) === denied.ordinal,
  );
  if (invocation?.type !== "invoke") return "unclear";
  const answer = completionOf(invocation, history.events);
  if (answer?.type !== "fail" || answer.f !== "release") return "unclear";
  const grant = history.events.findLast(
    (event) =>
      event.type === "ok" &&
      event.f === "acquire" &&
      event.index < invocation.index &&
      event.process === invocation.process &&
      event.key === denied.key,
  );
  // The try takes longer than the release did: somebody else may have come meanwhile.
  if (grant === undefined || mayBeDisturbed(history, { grant, release: invocation, answer })) return "unclear";
  return PROBED.find((probed) => probeReason(probed) === answer.value?.reason) ?? "unclear";
}

/** The cause where the lock was still held. */
export function wronglyDenied({ invoked }: Pick<DeniedHolder, "invoked">): Hypothesis {
  return {
    cause: "contradiction",
    events: [],
    why: "the lock was still held, and told its holder that it was not",
    ground: { on: "operation", invoked },
    remedies: [],
  };
}

/** What shows that it was still held. */
export function stillHeldInWords({ key }: DeniedHolder): string {
  return `in place of that release, a try of another owner for ${key} is refused as contended`;
}
