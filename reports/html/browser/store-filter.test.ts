import { expect, test } from "vitest";
import { isShown, readStoreFilter, type StoreFilter, storeFilterText } from "./store-filter.ts";

const ALL: StoreFilter = { verdict: "", lock: "", words: "" };
const RUN = { verdict: "invalid", lock: "redlock", text: "Redlock on redlock, Clock-Jump, lost" };

test.each<[Partial<StoreFilter>, boolean]>([
  [{}, true],
  [{ verdict: "invalid" }, true],
  [{ verdict: "valid" }, false],
  [{ lock: "redlock" }, true],
  [{ lock: "red" }, false],
  [{ words: "clock-jump LOST" }, true],
  [{ words: "clock-jump found" }, false],
  [{ words: "  " }, true],
])("%j shows the run: %s", (filter, shown) => {
  expect(isShown(RUN, { ...ALL, ...filter })).toBe(shown);
});

test.each<StoreFilter>([ALL, { verdict: "invalid", lock: "./my lock.ts", words: "a&b=c #1 ü" }])(
  "the address keeps %j",
  (filter) => {
    expect(readStoreFilter(storeFilterText(filter))).toEqual(filter);
  },
);

test("any other address shows everything", () => {
  for (const hash of ["", "#", "#run-0", "#x=1&&="]) expect(readStoreFilter(hash)).toEqual(ALL);
});
