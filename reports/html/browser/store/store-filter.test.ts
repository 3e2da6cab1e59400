import { expect, test } from "vitest";
import { readStoreFilter, runFilter, type StoreFilter, storeFilterText } from "./store-filter.ts";

const ALL: StoreFilter = { verdict: "", lock: "", words: "", page: 1 };
const RUN = { verdict: "invalid", lock: "redlock", text: "redlock on redlock, clock-jump, lost" };

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
  expect(runFilter({ ...ALL, ...filter })(RUN)).toBe(shown);
});

test.each<StoreFilter>([ALL, { verdict: "invalid", lock: "./my lock.ts", words: "a&b=c #1 ü", page: 17 }])(
  "the address keeps %j",
  (filter) => {
    expect(readStoreFilter(storeFilterText(filter))).toEqual(filter);
  },
);

test("any other address shows everything", () => {
  for (const hash of ["", "#", "#run-0", "#x=1&&=", "#page=0", "#page=-2", "#page=x"])
    expect(readStoreFilter(hash)).toEqual(ALL);
});
