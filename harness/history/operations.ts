import type { ClientEvent, HistoryEvent } from "./history.ts";

export type InvocationEvent = Extract<ClientEvent, { type: "invoke" }>;
export type CompletionEvent = Extract<ClientEvent, { type: "ok" | "fail" | "info" }>;

/** Invocation and completion of an acquire that was granted. */
export interface GrantEvents {
  readonly invocation: Extract<InvocationEvent, { f: "acquire" }>;
  readonly completion: Extract<CompletionEvent, { f: "acquire"; type: "ok" }>;
}

/** The grant that this event reports, if it reports one. */
export function grantOf(event: HistoryEvent, invocation: InvocationEvent | undefined): GrantEvents | undefined {
  if (event.type !== "ok" || event.f !== "acquire" || invocation?.f !== "acquire") return undefined;
  return { invocation, completion: event };
}

/** What completed the operation that this event invoked; undefined if nothing did. */
export function completionOf(
  { index, process }: Pick<HistoryEvent, "index" | "process">,
  events: readonly HistoryEvent[],
): CompletionEvent | undefined {
  return events.find(
    (event): event is CompletionEvent =>
      event.index > index &&
      event.process === process &&
      (event.type === "ok" || event.type === "fail" || event.type === "info"),
  );
}

/** Whether the event is of a release that states that its owner had released before. */
export function isReleaseAgain(event: HistoryEvent, invocation: InvocationEvent | undefined): boolean {
  const operation = event.type === "invoke" ? event : invocation;
  return operation?.f === "release" && operation.value.again === true;
}

/**
 * Pairs completions with their invocations. A process does one thing at a time, so this keeps one event per process.
 */
export class OpenOperations {
  readonly #open = new Map<number, InvocationEvent>();

  /** How many operations are open. */
  get size(): number {
    return this.#open.size;
  }

  /** The invocation that this process has open. */
  of(process: number): InvocationEvent | undefined {
    return this.#open.get(process);
  }

  /** The invocation that this event completes; undefined for an event that is not a completion. */
  push(event: HistoryEvent): InvocationEvent | undefined {
    if (event.type === "invoke") this.#open.set(event.process, event);
    if (event.type !== "ok" && event.type !== "fail" && event.type !== "info") return undefined;
    const invocation = this.#open.get(event.process);
    this.#open.delete(event.process);
    return invocation;
  }
}
