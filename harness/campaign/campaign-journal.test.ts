import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { UserError } from "../core/errors.ts";
import { CampaignJournal, differenceOf, findIdentity, readJournal } from "./campaign-journal.ts";

const schema = z.strictObject({ n: z.int() });
const identity = { kind: "hunt", parameters: { lock: "a", seed: 1 } } as const;
let store: string;
let file: string;

beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-journal-"));
  file = join(store, "campaigns", "hunt-a.jsonl");
});

afterEach(() => {
  rmSync(store, { recursive: true });
});

const open = (resume: boolean, of: Parameters<typeof differenceOf>[0] = identity): CampaignJournal<{ n: number }> =>
  CampaignJournal.open(store, "hunt-a", of, { resume, schema });

function write(...numbers: number[]): void {
  using journal = open(false);
  for (const n of numbers) journal.append({ n });
}

test("has each line at once, and is read back", () => {
  using journal = open(false);
  journal.append({ n: 1 });
  expect(readJournal(file, schema)).toEqual({ file, identity, entries: [{ n: 1 }] });
  journal.append({ n: 2 });
  expect(readJournal(file, schema).entries).toEqual([{ n: 1 }, { n: 2 }]);
});

test("resumed, it knows what was done and goes on after it; else it begins again", () => {
  write(1, 2);
  {
    using journal = open(true);
    expect(journal.former).toEqual([{ n: 1 }, { n: 2 }]);
    journal.append({ n: 3 });
  }
  expect(readJournal(file, schema).entries).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  using journal = open(false);
  expect(journal.former).toEqual([]);
  expect(readJournal(file, schema).entries).toEqual([]);
});

test.each(Array.from({ length: 9 }, (_, bytes) => bytes))(
  "a last line without its last %i bytes was not written, and does not spoil what follows",
  (bytes) => {
    write(1, 2);
    const { length } = readFileSync(file);
    truncateSync(file, length - bytes);
    const left = bytes === 0 ? [{ n: 1 }, { n: 2 }] : [{ n: 1 }];
    {
      using journal = open(true);
      expect(journal.former).toEqual(left);
      journal.append({ n: 7 });
    }
    expect(readJournal(file, schema).entries).toEqual([...left, { n: 7 }]);
  },
);

test("to resume what never began is to begin it", () => {
  using journal = open(true);
  expect(journal.former).toEqual([]);
  writeFileSync(file, '{"format":"lockst');
  using again = open(true);
  expect(again.former).toEqual([]);
  expect(findIdentity(store, "hunt-a", undefined)).toEqual(identity);
});

test("another campaign is not resumed, and says what differs", () => {
  write(1);
  const other = { ...identity, parameters: { lock: "a", seed: 2, runs: 5 } };
  expect(() => open(true, other)).toThrow(UserError);
  expect(() => open(true, other)).toThrow("belongs to another campaign (seed 1 and 2)");
  expect(readJournal(file, schema).entries).toEqual([{ n: 1 }]);
  expect(differenceOf({ ...identity, parameters: { ...identity.parameters, runs: 5 } }, identity)).toBe(
    "runs 5 and nothing",
  );
  const withDriver = (driver: string) => ({ ...identity, parameters: { ...identity.parameters, driver } });
  expect(differenceOf(withDriver("0af978a2912a"), withDriver("00d796908022"))).toBe("the code of the driver differs");
  expect(differenceOf({ ...identity, kind: "ladder" }, identity)).toBe("ladder and hunt");
  expect(differenceOf({ ...identity, shard: { index: 1, count: 2 } }, identity)).toBeUndefined();
});

test("each shard has its own", () => {
  const shard = { index: 2, count: 4 };
  using journal = open(false, { ...identity, shard });
  journal.append({ n: 1 });
  expect(readJournal(join(store, "campaigns", "hunt-a-2-of-4.jsonl"), schema).identity).toEqual({ ...identity, shard });
  expect(findIdentity(store, "hunt-a", shard)).toEqual({ ...identity, shard });
  expect(findIdentity(store, "hunt-a", undefined)).toBeUndefined();
});

test.each([
  ["not JSON", "{\n", "line 3 is not JSON"],
  ["no part of it", '{"n":"one"}\n', "line 3 is not part of a campaign: n: "],
])("a line in the middle that is %s is named", (_, line, message) => {
  write(1);
  appendFileSync(file, line);
  expect(() => open(true)).toThrow(UserError);
  expect(() => open(true)).toThrow(message);
});

test.each([
  ['{"format":"lockstorm-history"}\n', 'a campaign\'s journal says "format":"lockstorm-campaign"'],
  ['{"format":"lockstorm-campaign","version":2,"kind":"hunt","parameters":{}}\n', "this lockstorm reads version 1"],
])("a file that is something else is refused: %s", (text, message) => {
  write(1);
  writeFileSync(file, text);
  expect(() => readJournal(file, schema)).toThrow(message);
});

test.each([
  ["a link to nothing", (path: string) => symlinkSync(join(store, "nowhere"), path), "there is no such file or folder"],
  ["a folder", (path: string) => mkdirSync(path), "it is a folder"],
  ["a pipe that nobody writes to", (path: string) => execFileSync("mkfifo", [path]), ""],
])("one that is %s is refused in one line", (_, make, why) => {
  const path = join(store, "odd.jsonl");
  make(path);
  const read = (): unknown => readJournal(path, schema);
  expect(read).toThrow(UserError);
  expect(read).toThrow(`${path} cannot be read: ${why}`);
  expect(read).not.toThrow(/\n/);
});
