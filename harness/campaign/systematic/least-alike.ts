/** Something that it has in common with others, and how much its cost grows with each of those that was taken. */
export type Aspect = readonly [name: string, weight: number];

/** How often an aspect was taken. */
interface Count {
  taken: number;
}

/** The counts of aspects by their names. Several orders can share them: what one took, is less worth to the others. */
export type TakenAspects = Map<string, Count>;

interface Candidate<T> {
  readonly item: T;
  readonly index: number;
  readonly cost: number;
  readonly aspects: readonly (readonly [count: Count, weight: number])[];
}

/** Costs that differ by less are taken for equal. */
const UNIT = 0.5;

/**
 * The items in the order in which they are worth trying: always the one that is cheapest, where it costs more for each
 * one taken before that it shares an aspect with. So each aspect comes early with the cheapest item that has it, and the
 * variants of one item are spread over the others. The same items give the same order. Of an item that was not reached,
 * nothing but the cost is asked.
 */
export function* leastAlike<T>(
  items: readonly T[],
  {
    costOf,
    aspectsOf,
    taken = new Map(),
  }: {
    readonly costOf: (item: T) => number;
    readonly aspectsOf: (item: T) => readonly Aspect[];
    readonly taken?: TakenAspects;
  },
): Generator<T> {
  const least = items.reduce((lowest, item) => Math.min(lowest, costOf(item)), Infinity);
  /** Of all lists: by units above the least. Items wait here until their own cost is reached. */
  const unreached: number[][] = [];
  for (const [index, item] of items.entries()) (unreached[unitsOf(costOf(item) - least)] ??= []).push(index);
  /** By what each cost when the order began, which may be more than its own cost: others may have taken its aspects. */
  const atFirst: Candidate<T>[][] = [];
  /** By what each cost when it was last looked at. Costs only grow. */
  const costlier: Candidate<T>[][] = [];
  const takenBefore = new Map([...taken].map(([name, count]) => [name, count.taken]));
  for (let units = 0; units < Math.max(unreached.length, atFirst.length, costlier.length); units += 1) {
    for (const index of unreached[units] ?? []) {
      const item = items[index] as T;
      const cost = costOf(item) - least;
      const named = aspectsOf(item);
      const began = named.reduce((sum, [name, weight]) => sum + weight * (takenBefore.get(name) ?? 0), cost);
      const aspects = named.map(([name, weight]) => [countOf(taken, name), weight] as const);
      (atFirst[unitsOf(began)] ??= []).push({ item, index, cost, aspects });
    }
    const first = (atFirst[units] ?? []).toSorted((one, other) => one.index - other.index);
    // Candidates whose cost grew go to the end of another list, none to this one.
    for (const candidate of [...first, ...(costlier[units] ?? [])]) {
      const now = unitsNow(candidate);
      if (now > units) (costlier[now] ??= []).push(candidate);
      else {
        for (const [count] of candidate.aspects) count.taken += 1;
        yield candidate.item;
      }
    }
    atFirst[units] = [];
    costlier[units] = [];
  }
}

function countOf(taken: TakenAspects, name: string): Count {
  const known = taken.get(name);
  if (known !== undefined) return known;
  const count = { taken: 0 };
  taken.set(name, count);
  return count;
}

function unitsNow<T>({ cost, aspects }: Candidate<T>): number {
  return unitsOf(aspects.reduce((sum, [{ taken }, weight]) => sum + weight * taken, cost));
}

function unitsOf(cost: number): number {
  return Math.round(cost / UNIT);
}
