import type { Value } from "../value.ts";

/** The values to sort: positions count from 1. Positions beyond the end may be read, and return nil. */
export interface Sortable {
  get(position: number): Value;
  set(position: number, value: Value): void;
}

/**
 * Sorts the positions `low` to `high` by Lua 5.1's quicksort, comparison for comparison: equal elements and
 * inconsistent orders come out as on the real server.
 * @param fail makes the error for an order that leads out of the range
 */
export function quicksort(
  items: Sortable,
  low: number,
  high: number,
  before: (a: Value, b: Value) => boolean,
  fail: () => Error,
): void {
  const swap = (a: number, b: number): void => {
    const kept = items.get(a);
    items.set(a, items.get(b));
    items.set(b, kept);
  };
  const swapUnless = (a: number, b: number): void => {
    if (before(items.get(b), items.get(a))) swap(a, b);
  };
  let [from, to] = [low, high];
  while (from < to) {
    swapUnless(from, to);
    if (to - from === 1) return;
    const middle = Math.floor((from + to) / 2);
    if (before(items.get(middle), items.get(from))) swap(middle, from);
    else swapUnless(middle, to);
    if (to - from === 2) return;
    const pivot = items.get(middle);
    swap(middle, to - 1);
    const split = partition(items, from, to, pivot, before, fail);
    swap(to - 1, split);
    // The smaller part by recursion, the larger by the loop.
    if (split - from < to - split) {
      quicksort(items, from, split - 1, before, fail);
      from = split + 1;
    } else {
      quicksort(items, split + 1, to, before, fail);
      to = split - 1;
    }
  }
}

function partition(
  items: Sortable,
  low: number,
  high: number,
  pivot: Value,
  before: (a: Value, b: Value) => boolean,
  fail: () => Error,
): number {
  let [up, down] = [low, high - 1];
  for (;;) {
    for (up += 1; before(items.get(up), pivot); up += 1) if (up > high) throw fail();
    for (down -= 1; before(pivot, items.get(down)); down -= 1) if (down < low) throw fail();
    if (down < up) return up;
    const kept = items.get(up);
    items.set(up, items.get(down));
    items.set(down, kept);
  }
}
