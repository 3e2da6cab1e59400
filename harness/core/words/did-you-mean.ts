/** Longer lists of words help nobody who mistyped one. */
const MOST_LISTED = 20;

/**
 * The hint for a word that nobody knows: the known word that is most like it, else the known words while they are few.
 * @param elsewhere what to do where they are many, in the imperative
 */
export function hintFor(
  word: string,
  known: readonly string[],
  { verb = "choose one of", elsewhere }: { readonly verb?: string; readonly elsewhere?: string } = {},
): string {
  const alike = mostAlike(word, known);
  if (alike !== undefined) return `did you mean ${alike}?`;
  return known.length > MOST_LISTED && elsewhere !== undefined ? elsewhere : `${verb} ${known.join(", ")}`;
}

/** The one known word that a mistyped one most likely means; undefined where none is near, or several are as near. */
export function mostAlike(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length < 3) return undefined;
  const begun = known.filter((each) => each.startsWith(typed));
  if (begun.length === 1) return begun[0];
  const distances = known.map((each) => editDistance(typed, each.toLowerCase()));
  const least = Math.min(...distances);
  const nearest = known.filter((_, index) => distances[index] === least);
  return nearest.length === 1 && least <= Math.max(1, Math.floor(typed.length / 3)) ? nearest[0] : undefined;
}

/**
 * The least number of letters to insert, delete, replace or swap with their neighbour to make one word of the other, no
 * letter edited twice: optimal string alignment (Damerau 1964, Levenshtein 1966).
 */
export function editDistance(one: string, other: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
