import { expect, test } from "vitest";
import { isDroppable } from "./dropped-front.ts";

test("what is done with is dropped when it is most of a list, and more than a few entries", () => {
  expect([isDroppable(16, 16), isDroppable(17, 17), isDroppable(17, 33), isDroppable(17, 34)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
