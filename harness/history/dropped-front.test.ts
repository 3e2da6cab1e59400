import { expect, test } from "vitest";
import { isDroppable } from "./dropped-front.ts";

test("what is done with is dropped when it is all of a list, or most of it and more than a few entries", () => {
  expect([
    isDroppable(3, 3),
    isDroppable(16, 17),
    isDroppable(17, 18),
    isDroppable(17, 33),
    isDroppable(17, 34),
  ]).toEqual([true, false, true, true, false]);
});
