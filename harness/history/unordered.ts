import type { CompletionEvent } from "./operations.ts";

/**
 * The reason of an `info` completion that the recording has with an outcome: in which order it and what others did at the same
 * time came is not known, and an operation of unknown outcome says nothing of that. Its process goes on under its number.
 */
export const UNORDERED = "the clock does not say in which order it was completed";

/**
 * The reason of an `info` completion of a release that the recording has with an answer: it does not say whether the release found
 * anything, and the lease may have been over. Its process goes on under its number.
 */
export const UNSAID = "the answer does not say whether the release found a lock of its owner";

/**
 * On an `info` completion that the recording does not have: its client went on under another process number, without an answer. It shows
 * nothing of what the client meant then.
 */
export const NEVER_ANSWERED = Symbol("its client went on under another process number");

/**
 * On an `info` completion of a release that was under way when the recording began: it took effect before the recording, or else before
 * this completion.
 */
export const PERHAPS_BEFORE = Symbol("it may have taken effect before the recording began");

/** On the invocation of an acquire that counted as one of unknown outcome, and is granted now after all: it is told once more. */
export const ANSWERED_LATE = Symbol("its client had gone on under another process number");

/** Whether the process of an `info` completion with this reason goes on under its number. */
export function goesOn(reason: string | undefined): boolean {
  return reason === UNORDERED || reason === UNSAID;
}

/** On an end of an operation: others did something at the same time, so it does not show what its client held after that. */
export const BESIDE_OTHERS = Symbol("others did something at the same time");

/** On an invocation of a process that does something else as well, as far as the clocks show: the number that the recording has. */
export const RECORDED_PROCESS = Symbol("the process that the recording has");

/**
 * On a release, or a notice that a lease is lost, whose process had been granted the key under its owner value, although the answer
 * comes later: the processes of these acquires, which are under way until then, the oldest first.
 */
export const AFTER_GRANTS = Symbol("its process knew of these grants already");

/** On an answer that counts as late as it may have come by all clocks: how much earlier that may have been, in nanoseconds. */
export const ANSWERED_WITHIN = Symbol("by how much the clocks may differ");

export function answeredWithin(answer: CompletionEvent & { readonly [ANSWERED_WITHIN]?: number }): number {
  return answer[ANSWERED_WITHIN] ?? 0;
}

/** What the recording says of an operation, also where the clock leaves open when it was completed. */
export interface Stated {
  readonly owner?: string;
  readonly released?: boolean;
  readonly validForMs?: number;
  readonly fence?: number;
  readonly position?: number;
}

export function statedIn({ type, value }: CompletionEvent): Stated {
  if (type === "ok") return value as Stated;
  return type === "info" && value?.reason === UNORDERED ? (value as Stated) : {};
}
