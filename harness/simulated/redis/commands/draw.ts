import type { Random } from "../../../core/random.ts";

/**
 * Draws from items as SRANDMEMBER and similar commands do: a positive count draws that many different items, or all of
 * them in order; a negative one draws its absolute value, with repetition.
 */
export function drawMany<T>(random: Random, items: readonly T[], count: number): readonly T[] {
  if (items.length === 0 || count === 0) return [];
  if (count < 0) {
    return Array.from({ length: -count }, () => items[random.integer(0, items.length - 1)]).filter(
      (item) => item !== undefined,
    );
  }
  if (count >= items.length) return items;
  const left = [...items];
  return Array.from({ length: count }, () => left.splice(random.integer(0, left.length - 1), 1)).flat();
}
