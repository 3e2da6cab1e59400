import { createHash } from "node:crypto";
import type { HistoryEvent } from "../../history/history.ts";

/** Keys, owner values and data of writes up to this length are judged as they are. */
const LONGEST = 256;

/** How many characters of a longer one are kept, for those who read the verdict. */
const KEPT = 12;

/** A value of an event as it may be stated. */
interface Stated {
  readonly owner?: unknown;
  readonly data?: unknown;
}

/**
 * The event with a short name in place of a very long key or owner value, and of very long data of a write: checkers only
 * compare them, and keep many. Two values have the same name only if they are equal, by a digest.
 */
export function withShortValues<E extends HistoryEvent>(event: E): E {
  const value = event.value as Stated | undefined;
  const stated = value !== undefined && (isLong(value.owner) || isLong(value.data)) ? shortly(value) : value;
  const key = "key" in event && isLong(event.key) ? named(event.key) : undefined;
  if (stated === value && key === undefined) return event;
  return key === undefined ? { ...event, value: stated } : { ...event, key, value: stated };
}

/** A short name for such a value, if it is very long. */
export function shortValue(value: string): string {
  return isLong(value) ? named(value) : value;
}

function shortly(value: Stated): Stated {
  const owner = isLong(value.owner) ? { owner: named(value.owner) } : {};
  const data = isLong(value.data) ? { data: named(value.data) } : {};
  return { ...value, ...owner, ...data };
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.length > LONGEST;
}

function named(value: string): string {
  return `${value.slice(0, KEPT)} ${createHash("sha256").update(value, "utf16le").digest("base64")}`;
}
