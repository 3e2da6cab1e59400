import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../core/errors.ts";
import {
  appendWhole,
  createFile,
  requireWritable,
  isSameFile,
  makeFolder,
  openForLines,
  ReplacedFile,
  replaceFile,
} from "./output-file.ts";

let folder: string;
const path = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(path(name), "utf8");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-output-"));
  writeFileSync(path("precious"), "precious");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["a symbolic link", () => symlinkSync("precious", path("target"))],
  ["a second name", () => linkSync(path("precious"), path("target"))],
  ["a dangling link", () => symlinkSync("nowhere", path("target"))],
  ["a file", () => writeFileSync(path("target"), "former")],
  ["nothing", () => {}],
])("what was %s becomes a file of its own, and what it led to stays", (_, make) => {
  make();
  replaceFile(path("target"), "new");
  expect([text("target"), text("precious")]).toEqual(["new", "precious"]);
  expect(existsSync(path("nowhere"))).toBe(false);
  expect(readdirSync(folder).toSorted()).toEqual(["precious", "target"]);
});

test("the rights of a file stay", () => {
  chmodSync(path("precious"), 0o640);
  replaceFile(path("precious"), "new");
  expect(statSync(path("precious")).mode & 0o777).toBe(0o640);
});

test("a folder in which nothing can be written is told before the work, and nothing is left in one that can", () => {
  requireWritable(path("precious"));
  requireWritable(path("new"));
  expect(readdirSync(folder)).toEqual(["precious"]);
  expect(() => requireWritable(path("missing/x"))).toThrow(
    /missing\/x cannot be written: there is no such file or folder$/,
  );
});

test("what was begun and not finished leaves everything as it was", () => {
  {
    using file = new ReplacedFile(path("precious"));
    file.append("half");
  }
  expect([text("precious"), readdirSync(folder)]).toEqual(["precious", ["precious"]]);
});

test.each([
  ["a folder", () => folder, /cannot be written: it is a folder/],
  ["a missing folder", () => path("missing/x"), /missing\/x cannot be written: there is no such file or folder/],
  ["a file in the place of a folder", () => path("precious/x"), /cannot be written: part of its path is not a folder/],
  ["a full disk", () => "/dev/full", /^\/dev\/full cannot be written: there is no space left$/],
])("%s is an error in one line", (_, name, message) => {
  const write = (): void => replaceFile(name(), "x");
  expect(write).toThrow(UserError);
  expect(write).toThrow(message);
  expect(readdirSync(folder)).toEqual(["precious"]);
});

test("on a full disk the hint is to make room and to go on", () => {
  const write = (): void => replaceFile("/dev/full", "text");
  expect(write).toThrow(expect.objectContaining({ hint: expect.stringMatching(/^free space .* --resume$/) }));
});

test("a device is written to, not replaced", () => {
  replaceFile("/dev/null", "x");
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("a new file takes no place that is taken, not even by a dangling link", () => {
  symlinkSync("nowhere", path("dangling"));
  expect([createFile(path("precious"), "x"), createFile(path("dangling"), "x"), createFile(path("a"), "x")]).toEqual([
    false,
    false,
    true,
  ]);
  expect([text("precious"), text("a"), existsSync(path("nowhere"))]).toEqual(["precious", "x", false]);
});

test("lines go to a file of their own: a new one in place of a link, never through one", () => {
  for (const make of [symlinkSync, linkSync]) {
    make(path("precious"), path("journal"));
    expect(() => openForLines(path("journal"), false)).toThrow(/symbolic link|second name/);
    const file = openForLines(path("journal"), true);
    appendWhole(file, "line\n");
    closeSync(file);
    expect([text("journal"), text("precious")]).toEqual(["line\n", "precious"]);
    rmSync(path("journal"));
  }
  const file = openForLines(path("precious"), false);
  appendWhole(file, "!");
  closeSync(file);
  expect(text("precious")).toBe("precious!");
});

test("lines for a pipe, as for any device, go into it, and it stays where it is", () => {
  execFileSync("mkfifo", [path("pipe")]);
  const reader = openSync(path("pipe"), constants.O_RDONLY | constants.O_NONBLOCK);
  const file = openForLines(path("pipe"), true);
  appendWhole(file, "line\n");
  closeSync(file);
  expect(statSync(path("pipe")).isFIFO()).toBe(true);
  const read = Buffer.alloc(10);
  expect(read.toString("utf8", 0, readSync(reader, read))).toBe("line\n");
  closeSync(reader);
});

test("two that begin a file at the same time each get one, and nothing else is left", async () => {
  const begin = `
    import { openForLines } from ${JSON.stringify(new URL("output-file.ts", import.meta.url).href)};
    const until = Number(process.argv[1]);
    while (Date.now() < until);
    for (let time = 0; time < 300; time++) openForLines(process.argv[2], true);
  `;
  mkdirSync(path("racing"));
  const words = ["--input-type=module", "--eval", begin, String(Date.now() + 500), path("racing/journal")];
  const racers = [1, 2].map(() => promisify(execFile)(process.execPath, words));
  await expect(Promise.all(racers)).resolves.toHaveLength(2);
  expect(readdirSync(path("racing"))).toEqual(["journal"]);
});

test("folders are made with those above; where the system has no such place it says so and comes back", () => {
  makeFolder(path("a/b/c"));
  makeFolder(path("a/b/c"));
  expect(statSync(path("a/b/c")).isDirectory()).toBe(true);
  expect(() => makeFolder("/proc/x/y")).toThrow(/cannot be written/);
  expect(() => makeFolder(path("precious/x"))).toThrow(/part of its path is not a folder/);
});

test("two names of one file are recognized", () => {
  linkSync(path("precious"), path("hard"));
  symlinkSync("precious", path("soft"));
  mkdirSync(path("sub"));
  const precious = statSync(path("precious"));
  for (const name of ["precious", "hard", "soft", "sub/../precious"])
    expect(isSameFile(precious, path(name))).toBe(true);
  appendFileSync(path("other"), "precious");
  for (const name of ["other", "missing", "sub"]) expect(isSameFile(precious, path(name))).toBe(false);
});
