import { type HistoryEvent, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { isEndless } from "../../history/holds/endless-lease.ts";
import { BY_THE_CLOCK } from "../../history/holds/lease.ts";

/**
 * The event with a lease that ends as early as a clock with ticks of this length (in nanoseconds) leaves it: the times between
 * which it lies may each be wrong by a part of a tick. Such a lease may be over before it begins. How long it may be at most stays
 * known.
 */
export function withCertainLease(event: HistoryEvent, tick: number): HistoryEvent {
  if (event.type === "invoke" && (event.f === "acquire" || event.f === "extend")) {
    const { value } = event;
    if (isEndless(value.ttlMs * NANOSECONDS_PER_MS)) return event;
    const tickMs = tick / NANOSECONDS_PER_MS;
    const byTheClock = { askedMs: value.ttlMs, longestMs: value.ttlMs + tickMs };
    const lease = { ttlMs: value.ttlMs - tickMs, [BY_THE_CLOCK]: byTheClock };
    return { ...event, value: { ...value, ...lease } } as typeof event;
  }
  const grants = event.type === "ok" && (event.f === "acquire" || event.f === "extend");
  if (!grants && event.type !== "renewed") return event;
  const { validForMs, grantedAt = event.time } = event.value;
  if (validForMs === undefined || isEndless(validForMs * NANOSECONDS_PER_MS)) return event;
  return { ...event, value: { ...event.value, grantedAt: grantedAt - tick } } as typeof event;
}
