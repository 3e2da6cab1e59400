import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "../core/errors.ts";
import { parseHistory } from "../history/history-reader.ts";
import { checkHistory } from "./check.ts";
import { checkStream } from "./check-stream.ts";

const folder = new URL("testdata/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

function inPieces(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += size) pieces.push(bytes.subarray(from, from + size));
  return pieces;
}

/** A verdict, or the one-line error. */
async function outcomeOf(chunks: Iterable<Uint8Array | string>): Promise<string> {
  try {
    const { verdict } = await checkStream(chunks, "input");
    return verdict.verdict;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

describe("checkStream", () => {
  it.each([1, 7, 4096])("judges as checkHistory does, in pieces of %i bytes", { tags: "long" }, async (size) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const bytes = readFileSync(new URL(file, folder));
      const { verdict, events } = await checkStream(inPieces(bytes, size), file);
      const history = parseHistory(bytes.toString(), file);
      expect(verdict).toEqual(checkHistory(history));
      expect(events).toBe(history.events.length);
    }
  });

  it("takes a last line without a line feed, carriage returns and a byte order mark", async () => {
    const text = readFileSync(new URL(files[0]!, folder), "utf8").trimEnd();
    const expected = await outcomeOf([text]);
    expect(["valid", "invalid", "unknown"]).toContain(expected);
    expect(await outcomeOf([text.replaceAll("\n", "\r\n")])).toBe(expected);
    expect(await outcomeOf([`\uFEFF${text}`])).toBe(expected);
    expect(await outcomeOf(inPieces(Buffer.from(`\uFEFF${text}`), 2))).toBe(expected);
    const [header, ...rest] = text.split("\n");
    expect(await outcomeOf([`${header}\n`, `\uFEFF${rest.join("\n")}`])).toBe("input, line 2: not JSON");
  });

  it("passes the events on, in their order", async () => {
    const bytes = readFileSync(new URL(files[0]!, folder));
    const seen: number[] = [];
    const { events } = await checkStream(inPieces(bytes, 300), "input", {
      onEvents: (part) => void seen.push(...part.map(({ index }) => index)),
    });
    expect(seen).toEqual(Array.from({ length: events }, (_, index) => index));
    expect(events).toBeGreaterThan(1);
  });

  it("says so where gzip made it, in chunks of any size", async () => {
    const bytes = gzipSync('{"format":"lockstorm-history","version":1}\n');
    expect(await outcomeOf([bytes])).toBe("input: compressed with gzip");
    expect(await outcomeOf(inPieces(bytes, 1))).toBe("input: compressed with gzip");
  });

  it.each(["\uFEFF", ""])("says so where it is UTF-16, beginning with %j", async (mark) => {
    const bytes = Buffer.from(`${mark}{"format":"lockstorm-history","version":1}\n`, "utf16le");
    for (const each of [bytes, Buffer.from(bytes).swap16()]) {
      expect(await outcomeOf([each])).toBe("input: UTF-16");
      expect(await outcomeOf(inPieces(each, 1))).toBe("input: UTF-16");
    }
  });

  it("names the line that is not UTF-8", async () => {
    const bytes = readFileSync(new URL(files[0]!, folder));
    const third = bytes.indexOf(0x0a, bytes.indexOf(0x0a) + 1) + 20;
    bytes[third] = 0xff;
    expect(await outcomeOf([bytes])).toBe("input, line 3: not UTF-8");
    expect(await outcomeOf(inPieces(bytes, 11))).toBe("input, line 3: not UTF-8");
  });

  it("refuses a line that never ends", async () => {
    const endless = Array.from({ length: 20 }, () => new Uint8Array(1024 * 1024).fill(0x20));
    expect(await outcomeOf(endless)).toBe("input, line 1: longer than 16 MiB");
  });

  it("refuses an empty input", async () => {
    expect(await outcomeOf([])).toContain("input holds no history");
    expect(await outcomeOf(["\n\n"])).toContain("input holds no history");
  });

  it("counts blank lines before the first", async () => {
    expect(await outcomeOf(["\n\nx\n"])).toBe("input, line 3: not JSON");
    expect(await outcomeOf(["\n \n{:type 1 2}\n"])).toContain("input, line 3: not EDN");
  });
});

/** Every answer is a verdict or an error that names a line. */
const ANSWER = /^(valid|invalid|unknown|input, line \d+: .+)$/;

describe("a history that was tampered with", () => {
  it("gives a verdict or an error with a line number: values changed, lines repeated, left out or swapped", async () => {
    const texts = files.map((file) => readFileSync(new URL(file, folder), "utf8").trimEnd().split("\n"));
    const value = fc.constantFrom("null", "-1", "1e400", "9007199254740993", '""', "{}", "[]", "true", "0.5", '"k"');
    const edit = fc.record({
      at: fc.nat(),
      how: fc.constantFrom("repeat", "drop", "swap", "value"),
      field: fc.nat(),
      value,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        async (original, edits) => {
          const lines = [...original];
          for (const { at, how, field, value } of edits) {
            const place = at % lines.length;
            const line = lines[place] ?? "";
            if (how === "repeat") lines.splice(place, 0, line);
            else if (how === "drop") lines.splice(place, 1);
            else if (how === "swap") lines.push(...lines.splice(place, 1));
            else lines[place] = withValue(line, field, value);
            if (lines.length === 0) return;
          }
          expect(await outcomeOf([lines.join("\n")])).toMatch(ANSWER);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** The line with the value of one of its fields, at any depth, replaced. */
function withValue(line: string, field: number, value: string): string {
  const fields = [...line.matchAll(/:("[^"]*"|[\d.-]+|true|false)/g)];
  const chosen = fields[field % Math.max(1, fields.length)];
  if (chosen === undefined) return line;
  return `${line.slice(0, chosen.index + 1)}${value}${line.slice(chosen.index + chosen[0].length)}`;
}
