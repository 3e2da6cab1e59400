/** The longest history of a key that the general search is given. */
export const SEARCHED_OPERATIONS = 300;

/** How many keys may keep `SEARCHED_OPERATIONS`. Later keys keep few: thousands of keys would take a gigabyte. */
const KEYS_IN_FULL = 500;
const FEW_OPERATIONS = 30;

/** How long the history of a further key may be, in operations, to be kept whole for the general search, beside `keys` others. */
export function keptBeside(keys: number): number {
  return keys < KEYS_IN_FULL ? SEARCHED_OPERATIONS : FEW_OPERATIONS;
}
