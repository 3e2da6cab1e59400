/** Longer lists of words help nobody who mistyped one. */
const MOST_LISTED = 20;
/** More words that one may have begun to type are no hint. */
const MOST_MEANT = 3;
/** Fewer letters begin too many words. */
const LEAST_BEGUN = 5;

/**
 * The hint for a word that nobody knows: the known word that is most like it, else the known words while they are few,
 * else those that begin like it.
 * @param elsewhere what to do where they are many, in the imperative
 */
export function hintFor(
  word: string,
  known: readonly string[],
  { verb = "choose one of", elsewhere }: { readonly verb?: string; readonly elsewhere?: string } = {},
): string {
  const alike = mostAlike(word, known);
  if (alike !== undefined) return `did you mean ${alike}?`;
  if (known.length <= MOST_LISTED || elsewhere === undefined) return `${verb} ${known.join(", ")}`;
  const begun = begunAs(word, known);
  return begun.length > 0 ? `did you mean ${begun.join(" or ")}?` : elsewhere;
}

/** The few known words that begin with what was typed, but for a slip; none where too many do. */
function begunAs(word: string, known: readonly string[]): readonly string[] {
  const typed = word.toLowerCase();
  if (typed.length < LEAST_BEGUN) return [];
  const slips = known.map((each) => slipsAtTheBeginning(typed, each.toLowerCase()));
  const least = Math.min(...slips);
  const begun = known.filter((_, index) => slips[index] === least);
  return least <= Math.floor(typed.length / 5) && begun.length <= MOST_MEANT ? begun : [];
}

/** The edits that make some beginning of a known word of what was typed. */
function slipsAtTheBeginning(typed: string, known: string): number {
  const lengths = [-1, 0, 1].map((more) => typed.length + more).filter((length) => length <= known.length);
  return Math.min(...lengths.map((length) => editDistance(typed, known.slice(0, length))));
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
