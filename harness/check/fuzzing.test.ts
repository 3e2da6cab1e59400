import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "../core/errors.ts";
import { parseHistory } from "../history/history-reader.ts";
import { checkStream } from "./check-stream.ts";
import { toEdn } from "../history/edn/edn-writer.ts";
import { HISTORY_FORMATS } from "../history/history-stream.ts";

const RUNS = Number(process.env["LOCKSTORM_FUZZ_RUNS"] ?? 600);

const folder = new URL("testdata/", import.meta.url);
const jsonl = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => readFileSync(new URL(name, folder), "utf8"));
const edn = jsonl.map((text, number) =>
  parseHistory(text, `history ${number}`)
    .events.map(toEdn)
    .filter((line) => line !== undefined)
    .join("\n"),
);

/** Every answer is a verdict or an error that names a line (or says that there is nothing, or no text in UTF-8). */
const ANSWER =
  /^(valid|invalid|unknown|input holds no history: its first line is missing|input: (UTF-16|compressed with gzip)|input, line \d+(, operation \d+)?: [^\n]{1,300})$/;

/** A verdict, or the one-line error. */
async function outcomeOf(
  chunks: Iterable<Uint8Array | string>,
  format: (typeof HISTORY_FORMATS)[number],
): Promise<string> {
  try {
    const { verdict } = await checkStream(chunks, "input", { format });
    return verdict.verdict;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

/** The bytes in pieces that end anywhere, also within a character. */
function cut(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

/** Compressed with gzip, and UTF-16 with a byte order mark and without. */
const BEGINNINGS = [
  [0x1f, 0x8b, 8],
  [0xff, 0xfe, 0x7b, 0],
  [0, 0x7b],
].map((bytes): [Uint8Array<ArrayBuffer>, number[], "jsonl"] => [Uint8Array.from(bytes), [], "jsonl"]);
const cuts = fc.array(fc.nat(), { maxLength: 6 });
const format = fc.constantFrom(...HISTORY_FORMATS);

describe("any byte string, in pieces of any size", () => {
  it("gives a verdict or an error with a line number", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), cuts, format, async (bytes, places, kind) => {
        expect(await outcomeOf(cut(bytes, places), kind)).toMatch(ANSWER);
      }),
      // The beginnings of UTF-16 and of gzip are rarely drawn.
      { numRuns: RUNS, examples: BEGINNINGS },
    );
  });

  it("gives one when it is made of what the formats are made of", async () => {
    const parts = [
      "{",
      "}",
      "[",
      "]",
      "(",
      ")",
      "#{",
      "#_",
      "##Inf",
      "#inst ",
      '"',
      "\\",
      ":",
      ",",
      ";",
      "\n",
      " ",
      "1e9",
    ];
    const words = [
      "nil",
      "null",
      "true",
      "-1",
      "12N",
      "\uFEFF",
      "é",
      ":type",
      ":ok",
      ":f :acquire",
      ":process 0",
      '"f":',
    ];
    const lines = [...jsonl, ...edn].flatMap((text) => text.split("\n").slice(0, 4)).map((line) => `${line}\n`);
    const piece = fc.oneof(fc.constantFrom(...parts, ...words), fc.constantFrom(...lines));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), cuts, format, async (pieces, places, kind) => {
        const bytes = new TextEncoder().encode(pieces.join(""));
        expect(await outcomeOf(cut(bytes, places), kind)).toMatch(ANSWER);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ["JSON lines", jsonl],
    ["EDN", edn],
  ])(
    "gives one when it is a history in %s with bytes changed, cut out or put in",
    { tags: "long" },
    async (_, texts) => {
      const outcomes = new Map<string, number>();
      const edit = fc.record({ at: fc.nat(), cut: fc.nat({ max: 3 }), put: fc.uint8Array({ maxLength: 3 }) });
      const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...texts), edits, cuts, async (text, changes, places) => {
          let edited: Uint8Array = Buffer.from(text);
          for (const { at, cut: length, put } of changes) {
            const place = at % (edited.length + 1);
            edited = Buffer.concat([edited.subarray(0, place), put, edited.subarray(place + length)]);
          }
          const outcome = await outcomeOf(cut(edited, places), "auto");
          expect(outcome).toMatch(ANSWER);
          // How the bytes are cut makes no difference.
          expect(await outcomeOf([edited], "auto")).toBe(outcome);
          const kind = outcome.replaceAll(/\d+/g, "#");
          outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
        }),
        { numRuns: RUNS },
      );
      expect(outcomes.size).toBeGreaterThan(8);
      expect(
        (outcomes.get("valid") ?? 0) + (outcomes.get("unknown") ?? 0) + (outcomes.get("invalid") ?? 0),
      ).toBeGreaterThan(10);
    },
  );
});

const LONG = 1 << 20;
const HEADER = '{"format":"lockstorm-history","version":1}\n';

/** Inputs on which parsers are slow or run out of stack; each must be answered in one pass. */
describe.each([
  ["a deep value where a word is due", `${HEADER}{"index":0,"type":${"[".repeat(LONG)}${"]".repeat(LONG)}}`],
  ["a deep value in a field that is kept", `${HEADER.trim().slice(0, -1)},"x":${"[".repeat(LONG)}${"]".repeat(LONG)}}`],
  ["a word of a megabyte", `${HEADER}{"index":0,"type":"${"x".repeat(LONG)}"}`],
  ["names that objects have", `${HEADER}{"__proto__":{"type":"invoke"},"type":"constructor","f":"__proto__"}`],
  ["brackets in EDN", "(".repeat(LONG)],
  ["brackets within an operation", `{:type :ok :value ${"[".repeat(LONG)}`],
  ["hashes", "#".repeat(LONG)],
  ["discards", `;\n${"#_ ".repeat(LONG)}`],
  ["tags", `;\n${"#a ".repeat(LONG)}`],
  ["blanks before a bracket that is missing", `[{:type :ok}${" ".repeat(LONG)}x`],
  ["quotation marks", `;\n${'"'.repeat(LONG)}`],
  ["a number of a million digits", `{:type 1${"0".repeat(LONG)}}`],
  ["a map of a hundred thousand keys", `{${Array.from({ length: 90_000 }, (_, key) => `:k${key} 1`).join(" ")}}`],
  ["faults with names that objects have, in EDN", "{:type :info :f :constructor :process :nemesis :value \\valueOf}"],
  ["names that objects have, in EDN", "{:type :__proto__ :f :constructor :process 0 :value {:__proto__ {:a 1}}}"],
])("%s", (_, text) => {
  it.each(HISTORY_FORMATS)("is answered, read as %s", { tags: "long" }, async (kind) => {
    expect(await outcomeOf([text], kind)).toMatch(ANSWER);
  });
});
