import { type Actors, actorOf, clientOf } from "./clients.ts";
import type { ClientEvent, HistoryEvent } from "./history.ts";
import type { Interval } from "./interval.ts";
import { OpenOperations, type CompletionEvent, type InvocationEvent } from "./operations.ts";

/** An invocation with its completion. Without a completion, the operation ends with the history and is `info`. */
export interface OperationSpan extends Interval {
  readonly client: number;
  /** Who asked, by name: the client, or a task of it. */
  readonly actor: string;
  readonly process: number;
  readonly f: ClientEvent["f"];
  readonly key: string;
  readonly outcome: "ok" | "fail" | "info";
  readonly invocation: InvocationEvent;
  readonly completion: CompletionEvent | undefined;
}

/** The operations of a history in the order of their invocations. `end` is the time of its last event. */
export function collectOperations(
  events: readonly HistoryEvent[],
  end: number,
  actors: Actors,
): readonly OperationSpan[] {
  const open = new OpenOperations();
  const completions = new Map<InvocationEvent, CompletionEvent>();
  for (const event of events) {
    const invocation = open.push(event);
    if (invocation !== undefined && isCompletion(event)) completions.set(invocation, event);
  }
  return events
    .filter((event) => event.type === "invoke")
    .map((invocation) => {
      const { process, f, key, time } = invocation;
      const completion = completions.get(invocation);
      return {
        client: clientOf(process, actors.clients),
        actor: actorOf(process, actors),
        process,
        f,
        key,
        from: time,
        to: completion?.time ?? end,
        outcome: completion?.type ?? "info",
        invocation,
        completion,
      };
    });
}

function isCompletion(event: HistoryEvent): event is CompletionEvent {
  return event.type === "ok" || event.type === "fail" || event.type === "info";
}
