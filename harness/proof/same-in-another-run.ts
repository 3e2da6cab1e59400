import { clientOf } from "../history/clients.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import { HoldTracker, type Hold } from "../history/holds.ts";
import { OpenOperations } from "../history/operations.ts";
import type { JudgedRun } from "./changed-run.ts";

/** The grant to the same client in the other run: of its acquire with the same number. */
export function grantAgain(original: JudgedRun, other: JudgedRun, grant: HistoryEvent): HistoryEvent | undefined {
  const [client, acquire] = [clientNumber(grant, original.history), countOf(original.history, grant)];
  const key = "key" in grant ? grant.key : undefined;
  return other.history.events.find(
    (event) =>
      event.type === "ok" &&
      event.f === "acquire" &&
      event.key === key &&
      clientNumber(event, other.history) === client &&
      countOf(other.history, event) === acquire,
  );
}

/** Index of the invocation of the same operation in another run: of the same client, by its number among those. */
export function sameOperation(history: History, invoked: number, other: History): number | undefined {
  const operation = eventAt(history, invoked);
  if (operation === undefined) return undefined;
  const alike = (from: History): readonly HistoryEvent[] =>
    from.events.filter(
      (event) =>
        event.type === "invoke" &&
        event.f === operation.f &&
        clientNumber(event, from) === clientNumber(operation, history),
    );
  const ordinal = alike(history).findIndex(({ index }) => index === invoked);
  return alike(other)[ordinal]?.index;
}

/** The event with this index; after events were removed, a history is no longer an array by index. */
export function eventAt({ events }: History, index: number): HistoryEvent | undefined {
  return events[index]?.index === index ? events[index] : events.find((event) => event.index === index);
}

/** How many acquires this client had invoked on the key by then. */
export function countOf(history: History, event: HistoryEvent): number {
  const key = "key" in event ? event.key : undefined;
  return history.events.filter(
    (other) =>
      other.index <= event.index &&
      other.type === "invoke" &&
      other.f === "acquire" &&
      other.key === key &&
      clientNumber(other, history) === clientNumber(event, history),
  ).length;
}

export function acquiresUpTo(history: History, { grantedIndex }: Hold): number {
  const granted = eventAt(history, grantedIndex);
  return granted === undefined ? 0 : countOf(history, granted);
}

/** All holds of a history, in the order of their grants. */
export function holdsOf({ header, events }: History): readonly Hold[] {
  const tracker = new HoldTracker(header.clients);
  const open = new OpenOperations();
  const holds = new Set<Hold>();
  for (const event of events) {
    for (const { hold } of tracker.push(event, open.push(event))) holds.add(hold);
  }
  return [...holds];
}

export function clientNumber({ process }: { readonly process: unknown }, { header }: History): string | undefined {
  return typeof process === "number" ? String(clientOf(process, header.clients)) : undefined;
}
