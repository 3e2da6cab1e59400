import type { HistoryEvent } from "./history.ts";

/** How many characters tell owner values apart. */
const LETTERS = 8;

/** What the name of an owner value ends with that an extension has replaced by another. */
export const REPLACED = " (replaced)";

/**
 * On an event that names an owner value which an extension has drawn whose completion comes later: the value for which that
 * extension was asked.
 */
export const DRAWN_FROM = Symbol("the owner value that an extension has replaced");

/**
 * On an event of a client that knows already that it does not know the outcome of some extensions, although their completions come
 * later: the values for which they were asked, the last one first.
 */
export const UNHEARD_OF = Symbol("owner values that an extension of unknown outcome may have replaced");

/** The value in place of which its client uses another, before the extension that drew that one is known to be completed. */
export function replacedBy(event: HistoryEvent & { readonly [DRAWN_FROM]?: string }): string | undefined {
  return event[DRAWN_FROM];
}

/** On an event in which the checkers see the first owner value of its hold: the value that the recording has there. */
const STATED = Symbol("the owner value that the recording has");

/** The event with the first owner value of its hold in place of the one that it states. */
export function underFirst<E extends HistoryEvent>(event: E, first: string): E {
  const value = event.value as { readonly owner?: string } | undefined;
  return { ...event, value: { ...value, owner: first }, [STATED]: statedOwner(event) ?? value?.owner };
}

/** The owner value that the recording has in this event, if the checkers see another one there. */
export function statedOwner(event: HistoryEvent & { readonly [STATED]?: string }): string | undefined {
  return event[STATED];
}

/** The owner value under which the recording has a hold or an operation. */
export function ownerAsStated<O extends string | undefined>({
  owner,
  stated,
}: {
  readonly owner: O;
  readonly stated?: string | undefined;
}): O | string {
  return stated ?? owner;
}

/**
 * An owner value short enough to read; `mark` stands for what was left out. Beside owner values that begin alike, it goes on
 * where it differs from the first of them.
 */
export function shortOwner(owner: string, mark = "…", beside: readonly string[] = []): string {
  if (owner.endsWith(REPLACED)) return `${shortOwner(owner.slice(0, -REPLACED.length), mark, beside)}${REPLACED}`;
  if (owner.length <= LETTERS + mark.length) return owner;
  const begin = owner.slice(0, LETTERS);
  const alike = beside.find((other) => other !== owner && other.startsWith(begin));
  if (alike === undefined) return `${begin}${mark}`;
  let same = LETTERS;
  while (same < owner.length && owner[same] === alike[same]) same += 1;
  const rest = owner.slice(same, same + LETTERS);
  const end = same + LETTERS < owner.length ? mark : "";
  return same === LETTERS ? `${begin}${rest}${end}` : `${begin}${mark}${rest}${end}`;
}

/** One name for an owner value of a key, whatever characters the two contain: for maps and sets. */
export function ownerName(key: string, owner: string): string {
  return JSON.stringify([key, owner]);
}
