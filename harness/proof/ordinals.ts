import type { HistoryEvent, History } from "../history/history.ts";
import { completionOf } from "../history/operations.ts";
import { clientNumber } from "./same-in-another-run.ts";

/**
 * Which of its client's operations of this kind an invocation is, counted from 1, as the client counts those that it makes. Undefined
 * if that is not certain: a task whose invocation something waits for makes its operation a moment later, so that another task
 * may come before it.
 */
export function ordinalOf(history: History, invocation: HistoryEvent): number | undefined {
  const client = clientNumber(invocation, history);
  const alike = history.events.filter(
    (event) => event.type === "invoke" && event.f === invocation.f && clientNumber(event, history) === client,
  );
  // An operation on several keys is recorded once for each of them.
  const operations = alike.filter((event, place) => !alike.slice(0, place).some((other) => isOne(other, event)));
  const own = operations.findIndex((event) => event.index === invocation.index || isOne(event, invocation));
  const isCertain = operations.every(
    (other, place) =>
      place === own ||
      (place < own ? isMadeFirst(other, invocation, history) : isMadeFirst(invocation, other, history)),
  );
  return own >= 0 && isCertain ? own + 1 : undefined;
}

/** Whether two invocations of a client are of one operation on several keys. */
function isOne(one: HistoryEvent, other: HistoryEvent): boolean {
  if (one.type !== "invoke" || other.type !== "invoke" || one.time !== other.time) return false;
  if (one.process === other.process || one.key === other.key) return false;
  if (one.f === "acquire" && other.f === "acquire") return one.value.alsoKeys?.includes(other.key) === true;
  return isOfHolder(one) && isOfHolder(other) && one.value.owner === other.value.owner;
}

function isOfHolder(event: HistoryEvent): event is HistoryEvent & { readonly f: "release" | "extend"; type: "invoke" } {
  return event.f === "release" || event.f === "extend";
}

/** Whether the client certainly made the operation that was invoked first before the other one. */
function isMadeFirst(first: HistoryEvent, second: HistoryEvent, { events }: History): boolean {
  const end = completionOf(first, events);
  if (end !== undefined && end.index < second.index) return true;
  const isStruck = events.some(
    ({ index, type }) => type === "fault" && index > first.index && index < (end?.index ?? Infinity),
  );
  return first.time < second.time && !isStruck;
}
