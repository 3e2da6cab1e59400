// @module-tag long
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readJournal } from "../../campaign/campaign-journal.ts";
import { runCli, startCli } from "../testing/run-cli.ts";
import { type HuntEntry, huntEntrySchema } from "../../campaign/hunt/hunt-journal.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lockstorm-hunts-"));
});
afterAll(() => rm(folder, { recursive: true }));

const BROKEN = ["hunt", "--lock", "extend-set-xx", "--faults", "pause-client", "--seed", "3", "--shrink-runs", "8"];
const SOUND = ["hunt", "--lock", "single", "--faults", "reset", "--runs", "300", "--seed", "3"];
const store = (name: string): string => join(folder, name);
const run = (words: readonly string[], name: string, ...more: string[]): ReturnType<typeof runCli> =>
  runCli([...words, "--store", store(name), ...more]);

const journal = (name: string, hunt = "hunt-single-single"): readonly HuntEntry[] =>
  readJournal(join(store(name), "campaigns", `${hunt}.jsonl`), huntEntrySchema).entries;
const positions = (entries: readonly HuntEntry[]): readonly number[] => entries.map(({ position }) => position);

/**
 * The output without the folders of kept runs, whose names contain the time, and without the line breaks that depend on
 * them.
 */
const told = (stdout: string): string => stdout.replaceAll(/\S+\/runs\/\S+/g, "<run>").replaceAll(/\s+/g, " ");
const withoutFolders = (entries: readonly HuntEntry[]): readonly object[] =>
  entries.map(({ folder, ...entry }) => ({ ...entry, kept: folder !== undefined }));

/** The last paragraph, without the line breaks of a terminal's width: counts, seed and path. */
const closing = (stdout: string): string => (stdout.trim().split("\n\n").at(-1) ?? "").replaceAll(/\s+/g, " ");

describe("shards of a hunt that finds something", () => {
  test("merged tell what the whole tells: the same counterexample, path and counts", async () => {
    const whole = await run(BROKEN, "whole");
    expect(whole.code).toBe(1);
    const shards = await Promise.all([1, 2, 3].map((index) => run(BROKEN, `shard-${index}`, "--shard", `${index}/3`)));
    // Not all of them are the first.
    expect(new Set(shards.map(({ stdout }) => closing(stdout))).size).toBeGreaterThan(1);
    const merge = ["merge", ...[3, 1, 2].map((index) => store(`shard-${index}`))];
    const [merged, json] = [await run(merge, "merged"), await run(merge, "merged-json", "--json")];
    expect(closing(merged.stdout)).toBe(closing(whole.stdout));
    expect(merged.code).toBe(1);
    const runs = join(store("whole"), "runs");
    const verdicts = readdirSync(runs).map((name) => readFileSync(join(runs, name, "verdict.json"), "utf8"));
    const [broken = {}, ...further] = verdicts
      .map((text) => JSON.parse(text) as { readonly verdict: string })
      .filter(({ verdict }) => verdict === "invalid");
    expect(further).toEqual([]);
    expect(JSON.parse(json.stdout)).toMatchObject({ ...broken, lock: "extend-set-xx", seed: 3 });
    // It breaks the lock again wherever a hunt runs with the merged results.
    expect(readdirSync(join(store("merged"), "regressions"))).toEqual(readdirSync(join(store("whole"), "regressions")));

    const path = / --path (\S+)$/.exec(closing(merged.stdout))?.[1] ?? "";
    const again = await run(BROKEN, "path", "--path", path, "--shrink-runs", "0", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject(broken);
  });

  test("what it found is known the next time, and fixed when it holds", async () => {
    const known = await run(BROKEN, "whole");
    expect(closing(known.stdout)).toMatch(/^1 run: .* \(known: a plan that broke the lock before breaks it again\)/);
    const unbroken = [...BROKEN, "--require", "fencing-tokens", "--runs", "3"];
    const fixed = await run(unbroken, "whole", "--json");
    expect(JSON.parse(fixed.stdout)).toMatchObject({ runs: 4, missing: 0 });
    const told = await run(unbroken, "whole");
    expect(closing(told.stdout)).toMatch(/^4 runs \(1 of a plan that broke it before\): /);
  });

  test("ended, it is not searched again when it is resumed", async () => {
    const before = journal("shard-1", "hunt-extend-set-xx-single-1-of-3");
    const resumed = await run(BROKEN, "shard-1", "--shard", "1/3", "--resume");
    expect(resumed.code).toBe(1);
    expect(journal("shard-1", "hunt-extend-set-xx-single-1-of-3")).toEqual(before);
    expect(resumed.stderr).not.toContain("hunting:");
  });
});

test("a hunt that was killed in the middle is resumed: no run lost, none done twice", async () => {
  const { child, result } = startCli([...SOUND, "--store", store("killed")]);
  await vi.waitFor(() => expect(journal("killed").length).toBeGreaterThanOrEqual(50), { timeout: 120_000 });
  child.kill("SIGKILL");
  expect(await result).toMatchObject({ signal: "SIGKILL" });
  const before = journal("killed");
  expect(before.length).toBeGreaterThanOrEqual(50);
  expect(before.length).toBeLessThan(300);

  const resumed = await run(SOUND, "killed", "--resume");
  expect(resumed.stderr).toContain(`resumed: ${before.length} runs were done before`);
  const after = journal("killed");
  expect(after.slice(0, before.length)).toEqual(before);
  expect(positions(after)).toEqual(Array.from({ length: 300 }, (_, position) => position));
  const whole = await run(SOUND, "sound");
  expect([resumed.code, told(resumed.stdout)]).toEqual([whole.code, told(whole.stdout)]);
  expect(withoutFolders(journal("sound"))).toEqual(withoutFolders(after));
});

test("a shard that is missing is said, and JSON is there without a counterexample too", async () => {
  const [one] = await Promise.all(
    [1, 2].map((index) => run(SOUND, `part-${index}`, "--shard", `${index}/3`, "--json")),
  );
  expect(JSON.parse(one?.stdout ?? "")).toMatchObject({ verdict: "valid", seed: 3, runs: 100, missing: 0 });
  const merged = await run(["merge", store("part-1"), store("part-2")], "parts", "--report", "junit");
  expect(merged.code).toBe(2);
  expect(merged.stdout).toContain("200 runs: ");
  expect(merged.stdout).toContain("(ended early: shard 3 of 3 is missing from the results)");
  expect(readFileSync(join(store("parts"), "hunt-single-single.junit.xml"), "utf8")).toContain("single under reset");
});

test("of another hunt nothing is resumed", async () => {
  const { code, stderr } = await run([...SOUND, "--resume", "--faults", "latency"], "sound");
  expect([code, stderr]).toEqual([254, expect.stringContaining('(faults ["reset"] and ["latency"])')]);
});
