import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { EXIT } from "../../core/verdict.ts";
import { runMain } from "../testing/run-main.ts";

const root = mkdtempSync(join(tmpdir(), "lockstorm-runs-"));
afterAll(() => rmSync(root, { recursive: true }));
const store = join(root, "store");

/** A recorded run; without a verdict, an unfinished one. */
function record(name: string, lock: string, verdict?: "valid" | "invalid", broken = verdict): string {
  const folder = join(store, "runs", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "plan.json"), JSON.stringify({ lock, seed: 1, topology: { kind: "single" } }));
  const properties = { "mutual-exclusion": { verdict: broken } };
  if (verdict !== undefined) writeFileSync(join(folder, "verdict.json"), JSON.stringify({ verdict, properties }));
  return folder;
}

const recently = (): string => `${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}-7`;
const runs = (...words: readonly string[]) => runMain(["runs", "--store", store, ...words]);

beforeEach(() => {
  rmSync(store, { recursive: true, force: true });
  record("2020-01-01T10-00-00-1", "single", "valid");
  record("2020-01-02T10-00-00-2", "redlock", "invalid");
  record("2020-01-03T10-00-00-3-2", "single\u001b[31m\n::error::");
  record(recently(), "fenced", "valid");
});

test(
  "lists the newest first, with what was violated, and nothing that could be taken for a command",
  { tags: "long" },
  async () => {
    const { code, stdout } = await runs();
    expect(code).toBe(EXIT.valid);
    expect([...stdout.matchAll(/^\d.* on single {2}(.*)$/gm)].map(([, said]) => said)).toEqual([
      "valid",
      "unfinished",
      "invalid: mutual-exclusion",
      "valid",
    ]);
    expect(stdout).toContain("2020-01-02 10:00:00  redlock on single");
    expect(stdout).toContain("4 of 4 runs");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toMatch(/^::error/m);
  },
);

test("says of a run that is valid what it violates all the same", async () => {
  record("2020-01-04T10-00-00-4", "watchdog", "valid", "invalid");
  expect((await runs("--lock", "watchdog")).stdout).toContain(
    "watchdog on single  valid (not required and broken: mutual-exclusion)\n",
  );
});

test("lists only what is asked for, and as many", async () => {
  const listed = async (...words: readonly string[]): Promise<readonly string[]> =>
    (JSON.parse((await runs("--json", ...words)).stdout) as { lock: string }[]).map(({ lock }) => lock);
  expect(await listed("--verdict", "invalid")).toEqual(["redlock"]);
  expect(await listed("--verdict", "valid", "--older-than", "1d")).toEqual(["single"]);
  expect(await listed("--last", "1")).toEqual(["fenced"]);
  expect(await listed("--lock", "no-such")).toEqual([]);
});

test("says that no run is there, or how many cannot be read", async () => {
  expect((await runs("--lock", "no-such")).stdout).toMatch(/^No such run is recorded in \S* \(4 runs in all\)\.\n$/);
  writeFileSync(join(record("2020-01-05T10-00-00-5", "single"), "verdict.json"), '{"verdict":"va');
  expect((await runs("--lock", "no-such")).stdout).toContain(
    "(5 runs in all, 1 of them not readable: lockstorm open says why)",
  );
  rmSync(join(store, "runs"), { recursive: true });
  expect((await runs()).stdout).toMatch(/^No run is recorded in \S*\.\n$/);
});

test("deletes what is old and nothing else: no folder of others, nothing behind a link", async () => {
  const outside = join(root, "outside");
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "plan.json"), "{}");
  symlinkSync(outside, join(store, "runs", "2020-01-04T10-00-00-4"));
  const foreign = join(store, "runs", "notes");
  mkdirSync(foreign);
  const { stdout } = await runs("--older-than", "2d", "--delete");
  expect(stdout).toMatch(/^Deleted 3 runs/);
  expect(existsSync(join(outside, "plan.json"))).toBe(true);
  expect(existsSync(foreign)).toBe(true);
  expect(JSON.parse((await runs("--json")).stdout)).toMatchObject([{ lock: "fenced" }]);
});

test("does not delete without a time, and says what there is where nothing is", async () => {
  expect(await runs("--delete")).toMatchObject({
    code: EXIT.usage,
    stderr: "lockstorm: --delete needs --older-than; say which runs: --older-than 30d\n",
  });
  mkdirSync(join(root, "empty"), { recursive: true });
  const empty = await runMain(["runs", "--store", join(root, "empty")]);
  expect(empty).toMatchObject({ code: EXIT.valid });
  expect(empty.stdout).toMatch(/^No run is recorded in /);
});

test.each([[], ["--json"], ["--older-than", "1d", "--delete"]])(
  "refuses a store that is not there %j",
  async (...words) => {
    const none = join(root, "none");
    expect(await runMain(["runs", "--store", none, ...words])).toEqual({
      code: EXIT.usage,
      stdout: "",
      stderr: `lockstorm: there is no store ${none}; run something first: npx lockstorm reproduce async-failover\n`,
    });
  },
);
