import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stormyRun, type StormyRun } from "../network/testing/stormy-run.ts";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../network/testing/stormy-run.ts", import.meta.url));

test("the same seed gives the same run, 200 times", async () => {
  const first = await stormyRun(7, 8);
  expect(first.completed).toBeGreaterThan(5);
  for (let count = 1; count < 200; count += 1) expect(await stormyRun(7, 8)).toEqual(first);
});

test("after any earlier runs", async () => {
  const expected = await stormyRun(7);
  for (let seed = 100; seed < 120; seed += 1) await stormyRun(seed);
  expect(await stormyRun(7)).toEqual(expected);
});

test("other seeds give other runs", async () => {
  const hashes = new Set<string>();
  for (let seed = 0; seed < 50; seed += 1) hashes.add((await stormyRun(seed)).hash);
  expect(hashes.size).toBe(50);
});

test("another process, in another time zone and language, gives the same run", async () => {
  const here = await stormyRun(7, 8);
  for (const zone of ["Asia/Tokyo", "America/St_Johns"]) {
    const output = execFileSync(process.execPath, [PROGRAM, "7", "8"], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], TZ: zone, LANG: "tr_TR.UTF-8" },
    });
    expect(JSON.parse(output) as StormyRun).toEqual(here);
  }
});

test("a run whose trace is listened to is the same run", async () => {
  const lines: string[] = [];
  const listened = await stormyRun(7, 8, (line) => lines.push(line));
  expect(listened).toEqual(await stormyRun(7, 8));
  expect(lines.length).toBeGreaterThan(listened.events);
});
