import type { History } from "../../history/history.ts";

/**
 * What is recorded of a history from one of its moments on: the last at or before event `first` at which no operation
 * is under way, if none before it may still take effect. Otherwise the whole history.
 */
export function recordedFrom(history: History, first: number): History {
  const open = new Set<number>();
  let begin = 0;
  for (const { index, type, process } of history.events) {
    if (index > first || type === "info") break;
    if (open.size === 0) begin = index;
    if (type === "invoke") open.add(process);
    else if (typeof process === "number" && type !== "lost") open.delete(process);
  }
  return { ...history, events: history.events.slice(begin).map((event) => ({ ...event, index: event.index - begin })) };
}
