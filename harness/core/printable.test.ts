import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableJson, printableLines } from "./printable.ts";

const UNSEEN = [
  "\u0000",
  "\u0007",
  "\u001b",
  "\r",
  "\n",
  "\u007f",
  "\u0085",
  "\u009b",
  "\u00ad",
  "\u061c",
  "\u200b",
  "\u200d",
  "\u200e",
  "\u2028",
  "\u202e",
  "\u2066",
  "\u2069",
  "\ufe0f",
  "\ufeff",
  "\ufffe",
  "\ud800",
  "\u{e0041}",
];

test.each(UNSEEN.map((character) => [character.codePointAt(0)?.toString(16), character] as const))(
  "U+%s is replaced, in words, in lines except their ends, and escaped in JSON",
  (_, character) => {
    expect(printable(`a${character}b`)).toBe("a\u{fffd}b");
    if (character !== "\n") expect(printableLines(`a${character}b\nc`)).toBe("a\u{fffd}b\nc");
    const json = printableJson({ [character]: character });
    expect(json.split("\n")).toHaveLength(4);
    expect(json).toMatch(/^[\n -~]*$/);
    if (character !== "\ud800") expect(JSON.parse(json)).toEqual({ [character]: character });
  },
);

test.each(["##[error]x", "a ##[group]", "##vso[task.complete]", "##teamcity[x]"])(
  "%s is no command to a CI any more",
  (text) => {
    for (const made of [printable(text), printableLines(text), printableJson(text)])
      expect(made).not.toMatch(/##\w*\[/);
    expect(JSON.parse(printableJson(text))).toBe(text);
  },
);

test.each([
  "::error::x",
  "  ::add-mask::secret",
  "\t::set-output name=a::b",
  "ok\n::error file=a::b",
  "\u{a0}::debug::x",
])("%j begins no line with a command", (text) => {
  expect(printableLines(text)).not.toMatch(/^\s*::[a-z]/m);
});

test("what is no command stays as it is", () => {
  for (const text of ["connect ECONNREFUSED ::1:6379", "::1", "a::b::c", "## title [x]", "größe 漢字 🔒 a\u{a0}b"]) {
    expect([printable(text), printableLines(text)]).toEqual([text, text]);
  }
});

test("a long word and a long text are told by beginning, end and length", () => {
  const words = printable(`a ${"x".repeat(10_000_000)} b`);
  expect(words).toMatch(/^a x+… \(10,000,0\d\d characters\) …x+ +b$/);
  expect(words.length).toBeLessThan(200);
  expect(printable("word ".repeat(2_000_000)).length).toBeLessThan(7_000);
});

test("any text becomes one line that is seen", { tags: "long" }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
      expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(printableJson(text))).toBe(text);
    }),
  );
});
