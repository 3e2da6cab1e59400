import type { Violation } from "../core/verdict.ts";
import { clientOf } from "../history/clients.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import type { Hold } from "../history/holds.ts";
import type { GrantEvents } from "../history/operations.ts";
import type { JudgedRun } from "./changed-run.ts";
import { ordinalOf } from "./ordinals.ts";
import { clientNumber, eventAt, grantAgain, holdsOf, sameOperation } from "./same-in-another-run.ts";

/**
 * Why nobody can be robbed in the other run: the first of the two holds, from which the accused operation is said to have
 * taken the lock, is not granted there before the second. The operation may have made room for it.
 */
export function ungrantedVictim(original: JudgedRun, other: JudgedRun, violation: Violation): string | undefined {
  const [victim, successor] = grantsIn(violation, original.history);
  if (victim === undefined || successor === undefined) return undefined;
  const granted = grantAgain(original, other, victim);
  const instead = grantAgain(original, other, successor);
  if (granted !== undefined && (instead === undefined || granted.index < instead.index)) return undefined;
  const client = clientNumber(victim, original.history);
  return `client-${client} is not granted the lock first there, so nobody could take it away`;
}

/**
 * Whether the first of the two holds is lost in the other run too, without the operation that is said to have taken it: within
 * its lease its client is told that it holds nothing, and no other operation reports that it took the lock meanwhile.
 */
export function isLostAnyway(original: JudgedRun, other: JudgedRun, violation: Violation): boolean {
  const hold = holdOfVictim(original, other, violation);
  const told = hold?.end?.by === "lost" ? hold.end : answerOf(hold, other);
  if (hold === undefined || told === undefined || ("value" in told && told.value.released)) return false;
  return !other.history.events.some(
    (event) =>
      event.index > hold.grantedIndex &&
      event.index < told.index &&
      event.f === "release" &&
      "key" in event &&
      event.key === hold.key &&
      (event.type === "info" || (event.type === "ok" && event.value.released)),
  );
}

/**
 * Whether the first of the two holds is kept in the other run, in which the client of the second asks for the lock no more: the
 * release that is said to have taken it reports success there too, or ends as it did without a known outcome, and after it the
 * holder still holds the lock.
 *
 * @param invoked index of that release's invocation in the original run
 */
export function isKept(original: JudgedRun, other: JudgedRun, violation: Violation, invoked: number): boolean {
  const hold = holdOfVictim(original, other, violation);
  const answer = answerOf(hold, other);
  const again = sameOperation(original, invoked, other);
  if (hold === undefined || answer?.value.released !== true || again === undefined) return false;
  const accused = completionOf(again, other.history);
  if (accused?.f !== "release" || accused.index > answer.index) return false;
  const before = completionOf(invoked, original.history);
  // Nobody knows when it took effect. Until the other client would have asked, the two runs are the same.
  const isSame = accused.type === "info" && before?.type === "info" && accused.time === before.time;
  const isReported = accused.type === "ok" && accused.value.released && accused.index > hold.grantedIndex;
  if (!isSame && !isReported) return false;
  const since = Math.max(again, hold.grantedIndex);
  return !other.history.events.some(
    (event) =>
      event.index > since &&
      event.index < answer.index &&
      event.f === "acquire" &&
      (event.type === "ok" || event.type === "info") &&
      event.key === hold.key,
  );
}

/** Whether the holder is granted the lock in the other run too, and gives it up within its lease as its own. */
export function keepsItsLock(original: JudgedRun, other: JudgedRun, violation: Violation): boolean {
  return answerOf(holdOfVictim(original, other, violation), other)?.value.released === true;
}

function completionOf(invoked: number, history: History): HistoryEvent | undefined {
  const process = eventAt(history, invoked)?.process;
  return history.events.find(
    (event) => event.index > invoked && event.process === process && (event.type === "ok" || event.type === "info"),
  );
}

/** The acquire with which the second of two holds begins: its client, and its number among that client's acquires. */
export function acquireOfSuccessor(
  { history }: JudgedRun,
  violation: Violation,
): { readonly client: number; readonly ordinal: number } | undefined {
  const [, successor] = grantsIn(violation, history);
  const { clients } = history.header;
  if (typeof successor?.process !== "number" || clients === undefined) return undefined;
  const asked = history.events.findLast(
    ({ index, type, process }) => index < successor.index && type === "invoke" && process === successor.process,
  );
  const ordinal = asked && ordinalOf(history, asked);
  return ordinal === undefined ? undefined : { client: clientOf(successor.process, clients), ordinal };
}

/**
 * Until when the first of the two holds lasts, in a run without an operation that is said to have taken it: when it is given up
 * there, or its lease ends. Undefined if it is not granted there, or if the operation's owner may have held the lock as well,
 * and given up its own.
 *
 * @param invoked index of the operation's invocation in the original run
 */
export function endOfVictim(
  original: JudgedRun,
  other: JudgedRun,
  violation: Violation,
  invoked: number,
): number | undefined {
  const operation = eventAt(original.history, invoked);
  if (grantsIn(violation, original.history).length < 2 || operation?.f !== "release") return undefined;
  if (operation.type !== "invoke") return undefined;
  const { owner } = operation.value;
  const mayHold = holdsOf(original.history).some(
    (hold) => hold.owner === owner && hold.grantedIndex < invoked && endOf(hold) >= operation.time,
  );
  const hold = mayHold ? undefined : holdAgain(original, other, violation);
  return hold && endOf(hold);
}

/** When a hold was given up, or its lease ended. */
function endOf({ end, leaseEnd }: Hold): number {
  return Math.min(end?.time ?? Infinity, leaseEnd);
}

/** The first of the two holds in the other run, if it ends within its lease. */
function holdOfVictim(original: JudgedRun, other: JudgedRun, violation: Violation): Hold | undefined {
  const hold = holdAgain(original, other, violation);
  return hold?.end !== undefined && hold.end.time < hold.leaseEnd ? hold : undefined;
}

/** The first of the two holds in the other run. */
function holdAgain(original: JudgedRun, other: JudgedRun, violation: Violation): Hold | undefined {
  const [victim] = grantsIn(violation, original.history);
  const granted = victim === undefined ? undefined : grantAgain(original, other, victim);
  return holdsOf(other.history).find(({ grantedIndex }) => grantedIndex === granted?.index);
}

/** The answer to the release with which a hold ends. */
function answerOf(hold: Hold | undefined, { history }: JudgedRun) {
  const { end, process } = hold ?? {};
  if (end?.by !== "release") return undefined;
  const answer = history.events.find((event) => event.index > end.index && event.process === process);
  return answer?.type === "ok" && answer.f === "release" ? answer : undefined;
}

/** The grant of the first of the two holds. */
export function victimOf({ history }: JudgedRun, violation: Violation): HistoryEvent | undefined {
  return grantsIn(violation, history)[0];
}

/** The grants that a violation is about, the earlier first. */
export function grantsIn({ events, finding }: Violation, history: History): readonly GrantEvents["completion"][] {
  return (finding?.events ?? events).flatMap((index) => {
    const event = eventAt(history, index);
    return event?.type === "ok" && event.f === "acquire" ? [event] : [];
  });
}
