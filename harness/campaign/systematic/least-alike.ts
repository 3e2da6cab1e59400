/** Something that it has in common with others, and how much dearer each of those that was taken makes it. */
export type Aspect = readonly [name: string, weight: number];

/** How often an aspect was taken. */
interface Count {
  taken: number;
}

/** The counts of aspects by their names. Several orders can share them: what one took, is less worth to the others. */
export type TakenAspects = Map<string, Count>;

interface Candidate<T> {
  readonly item: T;
  readonly cost: number;
  readonly aspects: readonly (readonly [count: Count, weight: number])[];
}

/** Costs that differ by less are taken for equal. */
const UNIT = 0.5;

/**
 * The items in the order in which they are worth trying: always the one that is cheapest, where it costs more for each
 * one taken before that it shares an aspect with. So each aspect comes early with the cheapest item that has it, and the
 * variants of one item are spread over the others. The same items give the same order.
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
  // By what each cost when it was last looked at, in units above the least. Costs only grow.
  const waiting: Candidate<T>[][] = [];
  const wait = (candidate: Candidate<T>, units: number): void => void (waiting[units] ??= []).push(candidate);
  for (const item of items) {
    const aspects = aspectsOf(item).map(([name, weight]) => [countOf(taken, name), weight] as const);
    const candidate = { item, cost: costOf(item) - least, aspects };
    wait(candidate, unitsNow(candidate));
  }
  for (let units = 0; units < waiting.length; units += 1) {
    // Those that became dearer go to the end of another list, none to this one.
    for (const candidate of waiting[units] ?? []) {
      const now = unitsNow(candidate);
      if (now > units) wait(candidate, now);
      else {
        for (const [count] of candidate.aspects) count.taken += 1;
        yield candidate.item;
      }
    }
    waiting[units] = [];
  }
}

function countOf(taken: TakenAspects, name: string): Count {
  const count = taken.get(name) ?? { taken: 0 };
  taken.set(name, count);
  return count;
}

function unitsNow<T>({ cost, aspects }: Candidate<T>): number {
  return Math.round(aspects.reduce((sum, [{ taken }, weight]) => sum + weight * taken, cost) / UNIT);
}
