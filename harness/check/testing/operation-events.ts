import type { LockOperation } from "../linearizability/lock-models.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";

type LockInvocation = Extract<InvocationEvent, { f: "acquire" | "extend" | "release" }>;
type LockCompletion = Extract<CompletionEvent, { f: "acquire" | "extend" | "release" }>;

export type OperationEvent =
  | { readonly invocation: LockInvocation; readonly stranger: boolean }
  | { readonly completion: LockCompletion };

const MS = 1_000_000;

/**
 * The events of operations, in their order; a unit of time is a millisecond. Each operation has a process of its own.
 * An operation of unknown outcome is ended with `info` at once, or, every other one, left open.
 */
export function eventsOf(operations: readonly LockOperation[]): readonly OperationEvent[] {
  const events = operations.flatMap((operation, process) => {
    const begin = { position: operation.invoked, event: begun(operation, process) };
    if (!operation.required && process % 2 === 0) return [begin];
    const position = operation.required ? operation.completed : operation.invoked + 0.5;
    return [begin, { position, event: ended(operation, process, position) }];
  });
  return events.toSorted((left, right) => left.position - right.position).map(({ event }) => event);
}

function nameOf(kind: LockOperation["kind"]): "acquire" | "extend" | "release" {
  if (kind === "contended" || kind === "reenter") return "acquire";
  return kind === "miss" || kind === "lose" ? "release" : kind;
}

function begun(operation: LockOperation, process: number): OperationEvent {
  const { kind, owner = "nobody", stranger, leaseNs, invoked, invokedTime } = operation;
  const shared = { index: invoked, time: invokedTime * MS, process, type: "invoke", key: "k" } as const;
  const f = nameOf(kind);
  const ttlMs = leaseNs + 0.001;
  if (f === "acquire") return { invocation: { ...shared, f, value: { ttlMs } }, stranger };
  if (f === "extend") return { invocation: { ...shared, f, value: { owner, ttlMs } }, stranger };
  return { invocation: { ...shared, f, value: { owner } }, stranger };
}

function ended(operation: LockOperation, process: number, index: number): OperationEvent {
  const { kind, owner = "nobody", fence, required, completedTime, invokedTime } = operation;
  const time = (required ? completedTime : invokedTime) * MS;
  const shared = { index, time, process, key: "k" } as const;
  const f = nameOf(kind);
  if (!required) return { completion: { ...shared, type: "info", f } };
  if (kind === "contended")
    return { completion: { ...shared, type: "fail", f: "acquire", value: { reason: "contended" } } };
  const { validUntil } = operation;
  // The reported validity counts from the completion here.
  const validity = validUntil === undefined ? {} : { validForMs: validUntil - completedTime };
  if (f === "acquire") return { completion: { ...shared, type: "ok", f, value: { owner, fence, ...validity } } };
  if (f === "extend") return { completion: { ...shared, type: "ok", f, value: { owner, ...validity } } };
  return { completion: { ...shared, type: "ok", f, value: { released: kind === "release" } } };
}
