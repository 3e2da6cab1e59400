import type { FaultTimeline } from "../fault-timeline.ts";
import type { CompletionEvent } from "../operations.ts";

/**
 * What the answer to an operation that was invoked at `since` proves. An extension that failed had no effect, unless a fault may
 * have kept the server's reply back: a library that gives up may answer `false`, and one that sends the extension again after
 * the lease has ended is told so, although the first one took effect.
 */
export function extensionAsHeard<Completion extends CompletionEvent>(
  completion: Completion,
  since: number,
  faults: FaultTimeline,
): Completion {
  if (completion.f !== "extend" || completion.type !== "fail") return completion;
  return faults.mayHaveKeptReplies(since, completion.time) ? { ...completion, type: "info", value: {} } : completion;
}
