import type { HistoryEvent } from "../history.ts";
import { NANOSECONDS_PER_MS } from "../history.ts";
import { ENDLESS_TTL_MS } from "../holds/endless-lease.ts";
import { OldestFirst } from "../oldest-first.ts";
import { type InvocationEvent, OpenOperations } from "../operations.ts";
import { UNSAID } from "../unordered.ts";
import { ownerName } from "../owner-value.ts";

/** How many leases are remembered. */
const REMEMBERED = 20_000;

/**
 * Releases whose answers say nothing, such as `:ok` with `nil`. As long as the lease of its owner is in force, such a release
 * found the lock; after that, its client was told no more than that the call returned, and nobody knows whether it found anything.
 */
export class SilentReleases {
  readonly #open = new OpenOperations();
  /** By key and owner value, until when its last known lease is in force, in nanoseconds. */
  readonly #leases = new OldestFirst<string, number>(REMEMBERED);
  #hasLeases = false;

  /**
   * The event as it is to be judged.
   *
   * @param isSilent whether its answer says nothing
   */
  heard(event: HistoryEvent, isSilent: boolean): HistoryEvent {
    const invocation = this.#open.push(event);
    if (invocation === undefined || event.type !== "ok") return event;
    if (invocation.f === "release" && event.f === "release") {
      const place = ownerName(invocation.key, invocation.value.owner);
      const until = this.#leases.get(place) ?? (this.#hasLeases ? -Infinity : Infinity);
      this.#leases.delete(place);
      return isSilent && until <= event.time ? { ...event, type: "info", value: { reason: UNSAID } } : event;
    }
    if (event.f === "acquire" || event.f === "extend") this.#follow(event.key, event.value.owner, invocation);
    return event;
  }

  #follow(key: string, owner: string, invocation: InvocationEvent): void {
    if (invocation.f !== "acquire" && invocation.f !== "extend") return;
    const { ttlMs } = invocation.value;
    this.#hasLeases ||= ttlMs !== ENDLESS_TTL_MS;
    const end = ttlMs === ENDLESS_TTL_MS ? Infinity : invocation.time + ttlMs * NANOSECONDS_PER_MS;
    this.#leases.set(ownerName(key, owner), end);
  }
}
