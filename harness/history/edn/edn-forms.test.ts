import { parseEDNString, toEDNString, toKeyword, type EDNVal } from "edn-data";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EdnForms, type EdnValue } from "./edn-forms.ts";

function read(text: string): readonly EdnValue[] {
  const forms = new EdnForms();
  return text.split("\n").flatMap((line) => forms.push(line));
}

describe("EDN", () => {
  it.each([
    ["nil true false", [null, true, false]],
    ["1 -2 +3 0 12N 1.5 -2e3 2.5M 1/4", [1, -2, 3, 0, 12, 1.5, -2000, 2.5, 0.25]],
    ["9007199254740993 9007199254740993N", [9007199254740993n, 9007199254740993n]],
    ["##Inf ##-Inf", [Infinity, -Infinity]],
    [":a :b/c :d-e sym + - a.b/c", ["a", "b/c", "d-e", "sym", "+", "-", "a.b/c"]],
    ['"" "a b" "\\\\t\\"\\u00e9"', ["", "a b", '\\t"é']],
    ["\\a \\newline \\space \\u0041 \\( \\\\", ["a", "\n", " ", "A", "(", "\\"]],
    ["{} {:a 1, :b {:c [2 3]}} #{4 5}", [{}, { a: 1, b: { c: [2, 3] } }, [4, 5]]],
    ["{1 2, [3] 4}", [{ "1": 2, "[3]": 4 }]],
    ["{:a 1 ; a comment }\n:b 2}", [{ a: 1, b: 2 }]],
    ["#_ 1 2 #_ #_ 3 4 5 {:a #_ 6 7}", [2, 5, { a: 7 }]],
    ['#inst "2026" #a/b {:c 1} #a #_ 2 3', ["2026", { c: 1 }, 3]],
    ["#_ #a 1 2 #a #b 3", [2, 3]],
    ['#"a+" #:n{:a 1}', ["a+", { a: 1 }]],
    ['"over\ntwo lines"', ["over\ntwo lines"]],
    ["[1 [2] (3)]", [1, [2], [3]]],
    ["(1\n2)\n3", [1, 2, 3]],
    ["[1 2", [1, 2]],
    ["[] ()", []],
  ] as const)("%s", (text, values) => {
    expect(read(text)).toEqual(values);
  });

  it.each([
    ["{:a 1]", '"]" where "{" is open'],
    ["}", '"}" where nothing is open'],
    ["[1 2] ]", '"]" where nothing is open'],
    ["{:a}", "a map with a key that has no value"],
    ["{:a 1 :b 2 :a 3}", "a map with two values of a"],
    ["{:a #_}", '"}" where a value is expected'],
    ["{:a #b}", '"}" where a value is expected'],
    ['"\\x"', 'no such escape as "\\x"'],
    ['"\\u12g4"', 'no such escape as "\\u12g4"'],
    ["\\", "a backslash without a character"],
    ["# a", '"#" without a tag'],
    ["##Nought", "no such value as ##Nought"],
    ["1x", '"1x" is no number'],
    ["[".repeat(200), "brackets nested deeper than 100"],
    ["{:a [".padEnd(300_000, "1 "), "a form that is not closed, or has more than 100,000 parts"],
    ["#a ".repeat(100_001), "a form that is not closed"],
    [`{:a "${"x".repeat(9e6)}\n${"x".repeat(9e6)}`, "a form that is not closed"],
  ])("refuses what is none (case %#)", (text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });

  it("knows whether a form is open", () => {
    const forms = new EdnForms();
    for (const [line, open] of [
      ["", false],
      ["[", false],
      ["{:a", true],
      ['"b', true],
      ['" }', false],
      ["#a", true],
      ["1", false],
      ["; [", false],
      ["]", false],
    ] as const) {
      forms.push(line);
      expect({ line, open: forms.isOpen }).toEqual({ line, open });
    }
  });

  it("takes a line of any length in one pass", () => {
    const parts = new EdnForms().push(`${"{:a 1} ".repeat(500_000)}${" ".repeat(1_000_000)}${"x".repeat(1_000_000)}`);
    expect(parts).toHaveLength(500_001);
  });

  it("is what another library writes, and reads", () => {
    const { value } = fc.letrec<{ value: EDNVal }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom(null, true, false),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((number) => number + 0),
        fc.string({ unit: "binary" }),
        fc.constantFrom("a", "b-c", "d/e").map(toKeyword),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.array(tie("value"), { maxLength: 4 }).map((list) => ({ list })),
        fc
          .uniqueArray(fc.tuple(fc.string(), tie("value")), { maxLength: 4, selector: ([key]) => key })
          .map((map) => ({ map })),
      ),
    }));
    fc.assert(
      fc.property(value, (written) => {
        const text = `{:value ${toEDNString(written)}}`;
        const [expected] = [parseEDNString(text, { mapAs: "object", keywordAs: "string", listAs: "array" })];
        expect(read(text)).toEqual([expected]);
      }),
      { numRuns: 500 },
    );
  });
});
