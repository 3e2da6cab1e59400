import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain } from "./testing/run-main.ts";

const COLUMNS = 60;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-narrow-"));
  await runMain(["reproduce", "async-failover"], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The lines that are too long, but for those that hold a path or a command, which are to be copied whole. */
function tooLong(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.length > COLUMNS && !/^ *\.lockstorm\/|^ *npx /.test(line));
}

test.each([
  "doctor",
  "runs",
  "explain fencing token",
  "reproduce --list",
  "conform single",
  "hunt --lock single --runs 1 --seed 1 --threads 1",
  "explore --lock single --faults kill-client --budget 1s --threads 1",
])("%s keeps to the width of the terminal", { tags: "long" }, async (words) => {
  const { stdout } = await runMain(words.split(" "), { cwd: folder, columns: COLUMNS });
  expect(stdout).not.toBe("");
  expect(tooLong(stdout)).toEqual([]);
});

test("the list of scenarios has a line for each in a pipe, and keeps its columns where there is room for words", async () => {
  const slugs = (text: string): number => text.match(/^\d+ +[\w-]+ /gm)?.length ?? 0;
  const piped = await runMain(["reproduce", "--list"], { cwd: folder });
  expect(slugs(piped.stdout)).toBe(43);
  const wide = await runMain(["reproduce", "--list"], { cwd: folder, columns: 105 });
  expect(wide.stdout).toMatch(/^3 +plain-del +set-px +single +both +ME foreign-release and\n {40,}overrun; LE/m);
  expect(wide.stdout.split("\n").filter((line) => line.length > 105)).toEqual([]);
});

test.each([0, 39])(
  "a terminal of %d columns, as one that does not know its width says, is drawn on all the same",
  async (columns) => {
    const { code, stdout, stderr } = await runMain([], { cwd: folder, columns });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const axis = /^ +\S*┬.*$/m.exec(stdout)?.[0] ?? "";
    expect(axis.length).toBeGreaterThan(columns === 0 ? 70 : 30);
  },
);
