import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain } from "../testing/run-main.ts";

let store: string;
let folder: string;
let first: string;
beforeAll(async () => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-report-"));
  first = (await runMain(["reproduce", "async-failover", "--store", store])).stdout;
  const [run = ""] = readdirSync(join(store, "runs"));
  folder = join(store, "runs", run);
});
afterAll(() => rmSync(store, { recursive: true }));

/** Lines are broken anew where other words stand before them. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
const explained = (text: string): readonly string[] => oneLine(text).match(/(?:Without|Probably) .*?\. /g) ?? [];

test("a run that is drawn again has the causes that were proven when it was made", async () => {
  const { code, stdout } = await runMain(["report", folder]);
  expect(code).toBe(0);
  expect(stdout).toContain("replication is asynchronous");
  expect(stdout).not.toContain("Probably");
  expect(explained(stdout).length).toBeGreaterThan(0);
  for (const words of explained(stdout)) expect(oneLine(first)).toContain(words);
  const page = await runMain(["report", folder, "--format", "html"]);
  expect(page.stdout).not.toContain("Probably");
});

test("without a stored verdict, or with another one, the causes are probable", async () => {
  const path = join(folder, "verdict.json");
  const kept = readFileSync(path, "utf8");
  for (const text of ["{", kept.replaceAll(/"account": "[^"]*"/g, '"account": "Nothing happened."')]) {
    writeFileSync(path, text);
    const { code, stdout } = await runMain(["report", folder]);
    expect(code).toBe(0);
    expect(stdout).toContain("Probably: ");
    expect(stdout).not.toContain("Nothing happened.");
  }
  rmSync(path);
  expect((await runMain(["report", folder])).stdout).toContain("Probably: ");
  writeFileSync(path, kept);
});

test("the properties that decided the verdict of the run decide it again, unless others are named", async () => {
  const path = join(folder, "verdict.json");
  const kept = readFileSync(path, "utf8");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(kept), required: ["owner-release"] }));
  expect((await runMain(["report", folder])).stdout).toMatch(/^VALID/);
  expect((await runMain(["report", folder, "--require", "mutual-exclusion"])).stdout).toMatch(/^INVALID/);
  writeFileSync(path, kept);
});

test("annotations are commands to GitHub, one for each property that broke, and nothing else is", async () => {
  const { code, stdout } = await runMain(["report", folder, "--format", "annotations"]);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^::error title=async-failover%3A [a-z-]+ broken[^:]*::\S/);
});
