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
