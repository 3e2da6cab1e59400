import { expect, test } from "vitest";
import { inFigures } from "./in-figures.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1760, "1,760"],
  [-1760, "-1,760"],
  [-176, "-176"],
  [1_234_567, "1,234,567"],
  [1951.3125, "1,951.3125"],
  [0.0001, "0.0001"],
  [1e21, "1e+21"],
  [Infinity, "Infinity"],
])("writes %d as %s", (value, words) => expect(inFigures(value)).toBe(words));

test("gives as many digits behind the point as it is asked for", () => {
  expect(inFigures(1951.35, 1)).toBe("1,951.3");
  expect(inFigures(1951, 3)).toBe("1,951.000");
  expect(inFigures(1234.5678, 0)).toBe("1,235");
});
