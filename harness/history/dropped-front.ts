/** How many finished entries are kept before they are dropped. It is small because there may be thousands of such lists. */
const KEPT_DONE = 16;

/**
 * Whether to drop the first `done` of a list's `length` entries, which nobody asks for again. All or most of the list is done with
 * then, so that dropping costs each entry the same, however long the list is.
 */
export function isDroppable(done: number, length: number): boolean {
  return done === length || (done > KEPT_DONE && done * 2 > length);
}
