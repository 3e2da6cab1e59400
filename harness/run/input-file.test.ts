import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readTextFile } from "./input-file.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-input-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: string | Uint8Array): string {
  const path = join(folder, "file");
  writeFileSync(path, content);
  return path;
}

test("text is read, of any length there may be, without the mark of the byte order", () => {
  expect(readTextFile(fileOf("\u{feff}größe\r\n"))).toBe("größe\r\n");
  const long = "é".repeat(100_001);
  expect(readTextFile(fileOf(long))).toBe(long);
});

test.each([
  ["/dev/zero", "it is not a file"],
  [folder, "it is a folder"],
  ["/nowhere", "ENOENT"],
])("%s is refused", (path, why) => {
  expect(() => readTextFile(path)).toThrow(why);
});

test("bytes that are no text, and what is far too long, are refused", () => {
  expect(() => readTextFile(fileOf(Uint8Array.of(0xff, 0xfe)))).toThrow("it is not UTF-8 text");
  expect(() => readTextFile(fileOf(new Uint8Array(65 * 1024 * 1024)))).toThrow("it is longer than 64 MiB");
});
