import { type Share, shareOf, type Sharing } from "../../core/sharing.ts";
import { NANOSECONDS_PER_MS, type RenewedEvent } from "../../history/history.ts";
import type { Point } from "./configuration.ts";
import type { CompletionEvent, InvocationEvent } from "../../history/operations.ts";
import { statedOwner } from "../../history/owner-value.ts";
import { PERHAPS_BEFORE, statedIn } from "../../history/unordered.ts";
import { mayRenew } from "../../history/holds/repeated-acquire.ts";
import { earliestExpiry, type LockOperation } from "./lock-models.ts";

export type LockInvocation = Extract<InvocationEvent, { f: "acquire" | "extend" | "release" }>;
export type LockCompletion = Extract<CompletionEvent, { f: "acquire" | "extend" | "release" }>;

/** An operation that was invoked and not completed yet. */
export interface OpenOperation {
  readonly invocation: LockInvocation;
  /** For release and extend: it refers to no known grant. */
  readonly stranger: boolean;
}

/** What is known of an operation before its outcome is. */
export function described({
  invocation,
  stranger,
}: OpenOperation): Omit<LockOperation, "kind" | "required" | "completed" | "completedTime"> {
  return {
    process: invocation.process,
    owner: invocation.f === "acquire" ? undefined : invocation.value.owner,
    stated: statedOwner(invocation),
    stranger,
    fence: undefined,
    invoked: invocation.index,
    invokedTime: invocation.time,
    leaseNs: invocation.f === "release" ? 0 : earliestExpiry(invocation.value.ttlMs),
    share: invocation.f === "acquire" ? statedShare(invocation.value) : undefined,
    mayRenew: mayRenew(invocation),
  };
}

/** How the acquire shares its key, if it does. */
function statedShare(value: Sharing): Share | undefined {
  const share = shareOf(value);
  return share.kind === "exclusive" ? undefined : share;
}

/** The end of an operation that must have taken effect by then. */
export function ending(completion: LockCompletion): Pick<LockOperation, "required" | "completed" | "completedTime"> {
  return { required: true, completed: completion.index, completedTime: completion.time };
}

/** An operation of unknown outcome: it may take effect at any time from now on. */
export function possible(open: OpenOperation): LockOperation {
  const end = { required: false, completed: Infinity, completedTime: Infinity };
  return { ...described(open), kind: open.invocation.f, ...end };
}

/** An operation that may have taken effect. */
export function ended(open: OpenOperation, completion: Exclude<LockCompletion, { type: "fail" }>): LockOperation {
  if (completion.type === "ok") return granted(open, completion);
  if (completion.f === "acquire") return { ...possible(open), stated: statedIn(completion).owner };
  return PERHAPS_BEFORE in completion ? { ...possible(open), until: completion.index } : possible(open);
}

/** An operation that succeeded. */
function granted(open: OpenOperation, completion: Extract<LockCompletion, { type: "ok" }>): LockOperation {
  const operation = { ...described(open), ...ending(completion) };
  if (completion.f === "release") return { ...operation, kind: completion.value.released ? "release" : "miss" };
  if (completion.f === "extend") return { ...operation, kind: "extend", validUntil: validUntil(completion) };
  const { owner, fence } = completion.value;
  return {
    ...operation,
    kind: "acquire",
    owner,
    stated: statedOwner(completion),
    fence,
    validUntil: validUntil(completion),
  };
}

/**
 * A lease that the lock renewed by itself after this event, or, if that is unknown, perhaps at any time. Undefined if it is over
 * already.
 */
export function renewal(
  { process, index, time, value }: RenewedEvent,
  since: Point | undefined,
  stranger: boolean,
): LockOperation | undefined {
  const end = Math.min(value.grantedAt ?? time, time) + value.validForMs * NANOSECONDS_PER_MS;
  if (end <= time) return undefined;
  const { index: invoked, time: invokedTime } = since ?? { index, time };
  const required = since !== undefined;
  const ended = required ? { completed: index, completedTime: time } : { completed: Infinity, completedTime: Infinity };
  const validUntil = time + earliestExpiry((end - time) / NANOSECONDS_PER_MS);
  const lease = { stranger, fence: undefined, leaseNs: Infinity, validUntil };
  return { kind: "extend", required, process, owner: value.owner, invoked, invokedTime, ...ended, ...lease };
}

/** Whether it is a lease that the lock renewed by itself. */
export function isRenewal({ kind, leaseNs }: LockOperation): boolean {
  return kind === "extend" && leaseNs === Infinity;
}

/** Of a renewal nobody knows before it is told: what others did meanwhile was put in order without it. */
export const TOLD_LATE = {
  state: "general",
  why: "the lock told of a renewal only after operations that it may have come before",
} as const;

/** What is known of these operations when one of them completes: some have not begun, and others may take effect or not. */
export function upTo(operations: readonly LockOperation[], last: LockOperation): readonly LockOperation[] {
  return operations
    .filter(({ invoked }) => invoked <= last.completed)
    .map((operation) =>
      operation.required && operation.completed > last.completed
        ? { ...operation, required: false, completed: Infinity, completedTime: Infinity }
        : operation,
    );
}

/**
 * Until when the lock promised the lease, if it said so: counted from when its client had the answer, at the latest
 * now.
 */
function validUntil({
  time,
  value: { validForMs, grantedAt },
}: Extract<LockCompletion, { f: "acquire" | "extend"; type: "ok" }>): number | undefined {
  if (validForMs === undefined) return undefined;
  return Math.min(grantedAt ?? time, time) + validForMs * NANOSECONDS_PER_MS;
}
