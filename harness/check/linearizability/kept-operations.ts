/** The longest history of a key that the general search is given. */
export const SEARCHED_OPERATIONS = 300;

/** How many keys may keep so many operations. Those that come later keep few: thousands of keys would take a gigabyte. */
const KEYS_IN_FULL = 500;
const FEW_OPERATIONS = 30;

/** Up to how many operations the whole history of one more key is kept for the general search, beside so many other keys. */
export function keptBeside(keys: number): number {
  return keys < KEYS_IN_FULL ? SEARCHED_OPERATIONS : FEW_OPERATIONS;
}
