/** How many characters tell owner values apart. */
const LETTERS = 8;

/** An owner value short enough to read; `mark` stands for what was left out. */
export function shortOwner(owner: string, mark = "…"): string {
  return owner.length <= LETTERS + mark.length ? owner : `${owner.slice(0, LETTERS)}${mark}`;
}
