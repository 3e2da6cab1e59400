import type { HistoryEvent } from "../../history/history.ts";
import type { EvidenceLimits } from "./evidence-limits.ts";

interface KeyUse {
  /** Index of its last event. */
  last: number;
  /** Operations on it that are not completed. */
  open: number;
  /** Whether its guarded resource was used: an audit may name it at the very end. */
  guards: boolean;
}

/**
 * The keys that are followed at a time. A history may use a key for each acquisition, so that a key that has been idle
 * for longest is concluded when there are too many. Its evidence is then gone: if it is used again, it is left out. So is a
 * key for which there is no room.
 */
export class FollowedKeys {
  readonly #limits: EvidenceLimits;
  readonly #keys = new Map<string, KeyUse>();
  /** Keys that are not followed any more. */
  readonly #concluded = new Set<string>();
  /** There is no use in looking for idle keys before this event. */
  #lookedUntil = 0;

  constructor(limits: EvidenceLimits) {
    this.#limits = limits;
  }

  /** Whether the key of this event must be followed again, and there is no room for it. */
  lacksRoomFor(event: HistoryEvent): boolean {
    if (!("key" in event) || this.#keys.size < this.#limits.keys || event.index < this.#lookedUntil) return false;
    if (this.#keys.has(event.key) || this.#concluded.has(event.key)) return false;
    // To look takes as long as there are keys.
    this.#lookedUntil = event.index + this.#limits.keys / 2;
    return true;
  }

  /** Keys that are not in use, the one that was used longest ago first. */
  get idle(): readonly string[] {
    return [...this.#keys]
      .filter(([, { open, guards }]) => open === 0 && !guards)
      .toSorted(([, one], [, other]) => one.last - other.last)
      .map(([key]) => key);
  }

  /** This key is concluded. */
  conclude(key: string): void {
    this.#keys.delete(key);
    this.#concluded.add(key);
  }

  /** Takes note of the use of a key. Returns why this event cannot be judged, in words, if so. */
  use(event: HistoryEvent): string | undefined {
    if (!("key" in event)) return undefined;
    const { key, type, f, index } = event;
    if (this.#concluded.has(key)) {
      return `${key} is used again, and was concluded because the history uses more than ${this.#limits.keys} keys`;
    }
    if (this.#keys.size >= this.#limits.keys && !this.#keys.has(key)) {
      this.#concluded.add(key);
      return `there is no room for ${key}: more than ${this.#limits.keys} keys were in use at a time`;
    }
    const known = this.#keys.get(key);
    const use = known ?? { last: index, open: 0, guards: false };
    if (known === undefined) this.#keys.set(key, use);
    use.last = index;
    if (type === "invoke") use.open += 1;
    else if (type === "ok" || type === "fail" || type === "info") use.open -= 1;
    use.guards ||= type === "audit" || f === "write" || f === "read";
    return undefined;
  }
}
