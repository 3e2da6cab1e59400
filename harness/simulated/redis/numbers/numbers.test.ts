import { describe, expect, test } from "vitest";
import { formatDouble, formatG, formatScore, formatShortest, parseDouble } from "./floats.ts";
import { add, multiply, parseInteger, parseUnsigned, subtract } from "./integers.ts";
import { addLongDoubles, formatLongDouble, isNotFinite, parseLongDouble, type LongDouble } from "./long-double.ts";

const MAX = 9223372036854775807n;

describe("64-bit integers", () => {
  test.each([
    ["0", 0],
    ["-1", -1],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", MAX],
    ["-9223372036854775808", -MAX - 1n],
    ["9223372036854775808", undefined],
    ["-0", undefined],
    ["+1", undefined],
    ["01", undefined],
    [" 1", undefined],
    ["1.0", undefined],
    ["", undefined],
  ])("%j is %s", (text, value) => {
    expect(parseInteger(text)).toBe(value);
  });

  test("sums and products know their limits, and differences wrap", () => {
    expect(add(MAX, 1)).toBeUndefined();
    expect(add(9007199254740991, 2)).toBe(9007199254740993n);
    expect(add(MAX, -MAX)).toBe(0);
    expect(multiply(9223372036854775n, 1000)).toBe(9223372036854775000n);
    expect(multiply(9223372036854776n, 1000)).toBeUndefined();
    expect(subtract(MAX, -1)).toBe(-MAX - 1n);
  });

  test("unsigned ones are read as by strtoul", () => {
    expect(["18446744073709551615", " 7", "+7", "007", "-0"].map(parseUnsigned)).toEqual([
      2n ** 64n - 1n,
      7n,
      7n,
      7n,
      0n,
    ]);
    expect(["18446744073709551616", "-1", "", "x", "1x"].map(parseUnsigned)).toEqual(Array(5).fill(undefined));
  });
});

describe("doubles", () => {
  test.each([
    [0.1, "0.10000000000000001", "0.1"],
    [1e21, "1e+21", "1e+21"],
    [1e17, "1e+17", "100000000000000000"],
    [1.5e-7, "1.4999999999999999e-07", "1.5e-7"],
    [3, "3", "3"],
    [-0, "-0", "-0"],
    [Infinity, "inf", "inf"],
    [123456789.125, "123456789.125", "123456789.125"],
  ])("%s is %s in 7.0 and %s later", (value, old, modern) => {
    expect(formatDouble(value, "17-digits")).toBe(old);
    expect(formatDouble(value, "shortest")).toBe(modern);
  });

  test("ties go to even, as C rounds and JavaScript does not", () => {
    expect(formatG(1234567890123.25, 14)).toBe("1234567890123.2");
    expect((1234567890123.25).toPrecision(14)).toBe("1234567890123.3");
    expect(formatG(0.5, 1)).toBe("0.5");
    expect(formatG(2.5, 1)).toBe("2");
  });

  test("large integers are stored in full, and 62 bits are the limit", () => {
    expect(formatScore(2 ** 62, "shortest")).toBe("4611686018427387904");
    expect(formatScore(2 ** 63, "shortest")).toBe("9223372036854776000");
    expect(formatScore(2 ** 70, "shortest")).toBe("1180591620717411300000");
    expect(formatScore(1e30, "shortest")).toBe("1e+30");
  });

  test("the shortest digits read back the same", () => {
    for (let index = 1; index < 2_000; index += 1) {
      const value = Math.sin(index) * 10 ** ((index % 600) - 300);
      expect(Number(formatShortest(value))).toBe(value);
    }
  });

  test.each([
    ["1e400", undefined],
    ["1e-400", undefined],
    ["nan", undefined],
    [" 1", undefined],
    ["1 ", undefined],
    ["-InFiniTy", -Infinity],
    ["0x1p3", 8],
    [".5", 0.5],
    ["5.", 5],
  ])("%j reads as %s", (text, value) => {
    expect(parseDouble(text)).toBe(value);
  });
});

describe("long doubles", () => {
  function sum(a: string, b: string): string {
    const [x, y] = [parseLongDouble(a), parseLongDouble(b)];
    if (x === undefined || y === undefined) return "no number";
    const result: LongDouble = addLongDoubles(x, y);
    return isNotFinite(result) ? "not finite" : formatLongDouble(result);
  }

  // As a real Redis answers INCRBYFLOAT.
  test.each([
    ["0.1", "0.2", "0.3"],
    ["3.0e3", "200", "3200"],
    ["10.5", "0.1", "10.6"],
    ["915.79", "0.001", "915.79099999999999998"],
    ["1e17", "0.5", "100000000000000000.5"],
    ["9007199254740993", "1", "9007199254740994"],
    ["-1", "1", "0"],
    ["1e4000", "1e4932", "not finite"],
    ["inf", "1", "not finite"],
    ["0x10", "1", "17"],
    ["x", "1", "no number"],
    ["nan", "1", "no number"],
  ])("%s + %s is %s", (a, b, expected) => {
    const found = sum(a, b);
    expect(found.length > 40 && expected === "not finite" ? "not finite" : found).toBe(expected);
  });
});
