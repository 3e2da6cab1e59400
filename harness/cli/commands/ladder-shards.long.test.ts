// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Plan } from "../../core/plan.ts";
import { readJournal } from "../../campaign/campaign-journal.ts";
import { isSurprise, type Summary } from "../../../reports/campaign/summary.ts";
import { runCli, startCli } from "../testing/run-cli.ts";
import { ladderCells } from "../../campaign/ladder/cells.ts";
import { type LadderEntry, ladderEntrySchema } from "../../campaign/ladder/ladder-journal.ts";

/** Both break, and no Sentinels make them slow; some columns break, others do not. */
const LOCKS = ["setnx", "extend-set-xx"];
const FAULTS = ["kill-client", "latency", "reset", "kill-node", "clock-jump"];
const FLAGS = ["hunt", "--all", "--lock", LOCKS.join(), "--faults", FAULTS.join(), "--runs", "12", "--seed", "5"];
const cells = ladderCells({ all: true, backend: "simulated", only: LOCKS, faults: FAULTS });

let folder: string;
let whole: Awaited<ReturnType<typeof runCli>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lockstorm-shards-"));
  whole = await hunt("whole", "--json");
});
afterAll(() => rm(folder, { recursive: true }));

const store = (name: string): string => join(folder, name);
const hunt = (name: string, ...words: string[]): ReturnType<typeof runCli> =>
  runCli([...FLAGS, "--store", store(name), ...words]);
const merge = (into: string, from: readonly string[], ...words: string[]): ReturnType<typeof runCli> =>
  runCli(["merge", ...from.map(store), "--store", store(into), ...words]);

const journal = (name: string, suffix = ""): readonly LadderEntry[] =>
  readJournal(join(store(name), "campaigns", `ladder${suffix}.jsonl`), ladderEntrySchema).entries;

/** What a table says, without how long its cells took: that is another each time. */
function withoutTimes(stdout: string): string {
  expect(stdout).toContain('"elapsedMs"');
  return stdout.replaceAll(/\n +"elapsedMs": [\d.]+,/g, "");
}

/** The plans of the counterexamples that a journal names, by cell. */
function plans(name: string, suffix = ""): Record<number, Plan> {
  return Object.fromEntries(
    journal(name, suffix).flatMap((entry) =>
      "shrunk" in entry
        ? [[entry.cell, JSON.parse(readFileSync(join(store(name), entry.shrunk, "plan.json"), "utf8")) as Plan]]
        : [],
    ),
  );
}

describe("four shards", () => {
  const NAMES = [1, 2, 3, 4].map((index) => `shard-${index}`);
  beforeAll(async () => {
    const shards = await Promise.all(NAMES.map((name, index) => hunt(name, "--shard", `${index + 1}/4`, "--json")));
    for (const { code, stdout } of shards) {
      expect([0, 2]).toContain(code);
      expect((JSON.parse(stdout) as Summary).cells.length).toBeLessThan(cells.length / 3);
    }
  });

  test("merged are the whole, byte for byte, in any order they come", async () => {
    const [merged, turned] = await Promise.all([
      merge("merged", NAMES, "--json"),
      merge("turned", NAMES.toReversed(), "--json"),
    ]);
    expect(withoutTimes(merged.stdout)).toBe(withoutTimes(whole.stdout));
    expect(withoutTimes(turned.stdout)).toBe(withoutTimes(whole.stdout));
    expect(merged.code).toBe(whole.code);
    expect(readFileSync(join(store("merged"), "ladder.json"), "utf8")).toBe(withoutTimes(whole.stdout));
    expect(readFileSync(join(store("merged"), "ladder.json"))).toEqual(
      readFileSync(join(store("whole"), "ladder.json")),
    );
    expect((JSON.parse(whole.stdout) as Summary).cells).toHaveLength(cells.length);
  });

  test("have shrunk what the whole has shrunk, and the merged report replays it", async () => {
    const whole = plans("whole");
    const parts = Object.assign({}, ...NAMES.map((name, index) => plans(name, `-${index + 1}-of-4`))) as typeof whole;
    expect(Object.keys(whole).length).toBeGreaterThan(1);
    for (const [cell, plan] of Object.entries(whole)) expect(parts[Number(cell)]).toEqual(plan);
    const { stdout } = await merge("told", NAMES);
    const replays = [...stdout.matchAll(/npx lockstorm replay (\S+)/g)].map(([, path]) => path ?? "");
    expect(replays).toHaveLength(Object.keys(whole).length);
    for (const path of replays) expect(Object.values(whole)).toContainEqual(JSON.parse(readFileSync(path, "utf8")));
  });

  test("of which one is missing are not the whole, and nobody takes them for it", async () => {
    const { code, stdout } = await merge("three", ["shard-1", "shard-2", "shard-4"], "--report", "junit,markdown");
    expect(code).toBe(2);
    expect(stdout).toContain("more cells were not searched: shard 3 of 4 is missing from the results");
    expect(readFileSync(join(store("three"), "ladder.junit.xml"), "utf8")).toContain('name="all cells"');
    expect(readFileSync(join(store("three"), "ladder.md"), "utf8")).toContain(
      "shard 3 of 4 is missing from the results",
    );
    expect(existsSync(join(store("three"), "ladder.json"))).toBe(false);
  });

  test("of different campaigns are refused in one line", async () => {
    await hunt("other", "--shard", "2/4", "--seed", "6", "--budget", "1");
    const { code, stderr } = await merge("mixed", ["shard-1", "other"]);
    expect([code, stderr]).toEqual([
      254,
      expect.stringMatching(
        /^lockstorm: \S+ladder-1-of-4\.jsonl and \S+ladder-2-of-4\.jsonl belong to different campaigns \(seed 5 and 6\); merge one campaign at a time; .*\n$/,
      ),
    ]);
    const nothing = await merge("mixed", ["shard-1/runs"]);
    expect([nothing.code, nothing.stderr]).toEqual([254, expect.stringContaining("shard-1/runs holds no results; ")]);
  });
});

describe("a table that was killed in the middle", () => {
  test("is resumed: nothing lost, nothing done twice", async () => {
    const { child, result } = startCli([...FLAGS, "--store", store("killed")]);
    await vi.waitFor(() => expect(journal("killed").length).toBeGreaterThan(cells.length / 3), { timeout: 120_000 });
    child.kill("SIGKILL");
    expect(await result).toMatchObject({ signal: "SIGKILL", stdout: "" });
    const before = journal("killed");
    expect(before.length).toBeGreaterThan(2);
    expect(before.length).toBeLessThan(cells.length);

    const resumed = await hunt("killed", "--resume", "--json");
    expect(resumed.stderr).toContain(`resumed: ${before.length} of ${cells.length} cells were searched before`);
    expect(withoutTimes(resumed.stdout)).toBe(withoutTimes(whole.stdout));
    expect(resumed.code).toBe(whole.code);
    const after = journal("killed");
    expect(after.slice(0, before.length)).toEqual(before);
    const searched = after.flatMap((entry) => ("outcome" in entry ? [entry.cell] : []));
    expect(searched.toSorted((one, other) => one - other)).toEqual([...cells.keys()]);
    expect(plans("killed")).toEqual(plans("whole"));

    const again = await hunt("killed", "--resume", "--json");
    expect(journal("killed")).toEqual(after);
    const cellsOf = (stdout: string): unknown => (JSON.parse(withoutTimes(stdout)) as Summary).cells;
    expect(cellsOf(again.stdout)).toEqual(cellsOf(whole.stdout));
  });

  test("is not resumed as another table", async () => {
    const { code, stderr } = await hunt("whole", "--resume", "--runs", "3");
    expect([code, stderr]).toEqual([
      254,
      expect.stringMatching(/ladder\.jsonl belongs to another campaign \(runs 12 and 3\) .*--store\n$/),
    ]);
  });
});

test("a budget ends a table between two cells, which is no success, and resuming completes it", async () => {
  const first = await hunt("budget", "--budget", "1");
  expect(first.code).toBe(2);
  expect(first.stdout).toContain("not searched: the budget was used up");
  const second = await hunt("budget", "--budget", "3600", "--resume", "--json");
  expect(withoutTimes(second.stdout)).toBe(withoutTimes(whole.stdout));
});

test("results are compared with former ones: the store's own, or those that are named", async () => {
  const { stdout } = await runCli([...FLAGS, "--store", store("later"), "--former", store("whole"), "--json"]);
  const { cells: now, changes } = JSON.parse(stdout) as Summary;
  const broken = now.filter(({ found }) => found === "broken");
  expect(changes).toMatchObject({ new: [], fixed: [], known: broken.map(({ lock, fault }) => ({ lock, fault })) });
  const again = await hunt("later", "--resume");
  expect(again.stdout).toContain(`known: ${broken.length} cells broken as before`);
  const refused = await hunt("later", "--resume", "--former", store("nowhere"));
  expect([refused.code, refused.stderr]).toEqual([254, expect.stringContaining("cannot be read as former results")]);
});

test("in a job of GitHub Actions the summary is written and only surprises become annotations", async () => {
  const summary = join(folder, "summary.md");
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const { stdout } = await runCli([...FLAGS, "--store", store("whole"), "--resume"], { env });
  expect(readFileSync(summary, "utf8")).toContain("| lock | none |");
  const surprises = (JSON.parse(whole.stdout) as Summary).cells.filter(isSurprise);
  expect(stdout.match(/^::(?:error|warning) /gm)?.length ?? 0).toBe(surprises.length);
});
