import { firstEndingAfter, type Item } from "./run-model.ts";
import { timeAt, xOf, type Scene } from "./scene.ts";

/**
 * Visits the items on the screen that can be told apart: of several in the same pixel only the first. Those between are
 * not even looked at, so that the work follows from the width of the screen and not from the length of the run.
 * @param items ascending, and not overlapping
 * @param visit with the opacity of the item
 * @param least how many pixels an item takes at least
 */
export function visitDistinct(
  scene: Scene,
  items: readonly Item[],
  visit: (item: Item, opacity: number) => void,
  least = 1,
): void {
  if (scene.matching !== undefined) {
    visitFiltered(scene, items, visit, least);
    return;
  }
  let index = firstEndingAfter(items, scene.view.from);
  for (let item = items[index]; item !== undefined && item.from <= scene.view.to; item = items[index]) {
    visit(item, 1);
    const right = Math.max(xOf(scene, item.to), xOf(scene, item.from) + least);
    index = Math.max(index + 1, firstEndingAfter(items, timeAt(scene, right)));
  }
}

/** What the filter lets through must not hide behind what it does not: each kind has pixels of its own. */
function visitFiltered(
  scene: Scene,
  items: readonly Item[],
  visit: (item: Item, opacity: number) => void,
  least: number,
): void {
  const right = { pale: -Infinity, clear: -Infinity };
  for (let index = firstEndingAfter(items, scene.view.from); index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined || item.from > scene.view.to) break;
    const opacity = opacityOf(scene, item);
    const kind = opacity === 1 ? "clear" : "pale";
    const end = Math.max(xOf(scene, item.to), xOf(scene, item.from) + 1);
    if (end < right[kind] + least) continue;
    right[kind] = end;
    visit(item, opacity);
  }
}

/** Items that the filter hides stay visible, but pale. */
export function opacityOf({ matching }: Scene, item: Item): number {
  if (matching === undefined) return 1;
  return matching[item.event] === 1 || (item.completion !== undefined && matching[item.completion] === 1) ? 1 : 0.15;
}
