import { clientOf, tasksBehind } from "../history/clients.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import { HoldTracker, type Hold } from "../history/holds.ts";
import { OpenOperations } from "../history/operations.ts";
import type { JudgedRun } from "./changed-run.ts";

/** The grant to the same task of the same client in the other run: of its acquire with the same number. */
export function grantAgain(original: JudgedRun, other: JudgedRun, grant: HistoryEvent): HistoryEvent | undefined {
  const [task, acquire] = [taskOf(grant, original), countOf(original, grant)];
  const key = "key" in grant ? grant.key : undefined;
  return other.history.events.find(
    (event) =>
      event.type === "ok" &&
      event.f === "acquire" &&
      event.key === key &&
      taskOf(event, other) === task &&
      countOf(other, event) === acquire,
  );
}

/** Index of the invocation of the same operation in another run: of the same task, by its number among those. */
export function sameOperation(original: JudgedRun, invoked: number, other: JudgedRun): number | undefined {
  const operation = eventAt(original.history, invoked);
  if (operation === undefined) return undefined;
  const task = taskOf(operation, original);
  const alike = (run: JudgedRun): readonly HistoryEvent[] =>
    run.history.events.filter(
      (event) => event.type === "invoke" && event.f === operation.f && taskOf(event, run) === task,
    );
  const ordinal = alike(original).findIndex(({ index }) => index === invoked);
  return alike(other)[ordinal]?.index;
}

/** The event with this index; after events were removed, a history is no longer an array by index. */
export function eventAt({ events }: History, index: number): HistoryEvent | undefined {
  return events[index]?.index === index ? events[index] : events.find((event) => event.index === index);
}

/** How many acquires this task of the client had invoked on the key by then. */
export function countOf(run: JudgedRun, event: HistoryEvent): number {
  const key = "key" in event ? event.key : undefined;
  const task = taskOf(event, run);
  return run.history.events.filter(
    (other) =>
      other.index <= event.index &&
      other.type === "invoke" &&
      other.f === "acquire" &&
      other.key === key &&
      taskOf(other, run) === task,
  ).length;
}

export function acquiresUpTo(run: JudgedRun, { grantedIndex }: Hold): number {
  const granted = eventAt(run.history, grantedIndex);
  return granted === undefined ? 0 : countOf(run, granted);
}

/** All holds of a history, in the order of their grants. */
export function holdsOf({ header, events }: History): readonly Hold[] {
  const tracker = new HoldTracker(header);
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

/** By the clients of a plan: the task behind each process number. */
const known = new WeakMap<object, (process: number) => number>();

/** Who did something: the first process number of that task of that client; undefined: no client. */
export function taskOf({ process }: { readonly process: unknown }, { plan }: JudgedRun): number | undefined {
  if (typeof process !== "number") return undefined;
  const behind = known.get(plan.clients) ?? tasksBehind(plan.clients);
  known.set(plan.clients, behind);
  return behind(process);
}
