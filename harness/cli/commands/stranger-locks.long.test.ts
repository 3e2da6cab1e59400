// @module-tag long
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../campaign/run-simulated.ts";
import { faults } from "../../../faults/registry.ts";
import { contentionPlans } from "../../../workloads/contention.ts";
import { topologySchema } from "../../core/topology.ts";
import { runCampaign } from "../../campaign/run-campaign.ts";
import { readJournal } from "../../campaign/campaign-journal.ts";
import { requiredProperties } from "../../campaign/required-properties.ts";
import { runCli } from "../testing/run-cli.ts";
import { type Shape, strangerLock } from "../testing/stranger-lock.ts";
import { huntEntrySchema } from "../../campaign/hunt/hunt-journal.ts";

const SHAPES: readonly (readonly [string, Shape])[] = [
  ["as plain as can be", {}],
  ["that reports its validity", { validity: true }],
  ["with fencing tokens", { validity: true, fence: true }],
  ["that extends", { extends: true, fence: true }],
  ["with one owner value for each client", { fixedOwner: true, extends: true }],
  ["that throws when its lock is gone at release", { lostRelease: "throws" }],
  ["that fails when its lock is gone at release", { lostRelease: "fails", extends: true }],
  ["that calls another holder an error", { contended: "error" }],
  ["that throws when it meets another holder", { contended: "throws" }],
  ["that does not wait", { impatient: true, validity: true }],
  ["that sends again what was not answered", { sendsAgain: true }],
  ["that sends again, extends and mints fencing tokens", { sendsAgain: true, extends: true, fence: true }],
];

const RUNS = 60;

async function hunt(shape: Shape, kinds: typeof faults, seed: number) {
  const topology = topologySchema.parse({ kind: "single" });
  const driver = strangerLock(shape);
  return runCampaign({
    plans: contentionPlans({ lock: "./stranger.ts", topology, faults: kinds, retries: true }),
    seed,
    runs: RUNS,
    shrinkRuns: 0,
    execute: async (plan) => {
      const run = await runSimulated(plan, { title: "stranger", required: requiredProperties(plan), driver });
      return { ...run, verdict: run.record.verdict };
    },
  });
}

test.each(SHAPES)("a sound lock %s is not accused, without faults and under all of them", async (_, shape) => {
  for (const kinds of [[], faults]) {
    for (const seed of [1, 2]) {
      const { counterexample, runs } = await hunt(shape, kinds, seed);
      expect(counterexample?.run.verdict.properties).toBeUndefined();
      expect(runs).toBe(RUNS);
    }
  }
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-strangers-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const driverFile = (name: string, shape: Shape): string => {
  const path = join(folder, name);
  const factory = new URL("../testing/stranger-lock.ts", import.meta.url).href;
  writeFileSync(
    path,
    `import { strangerLock } from ${JSON.stringify(factory)};\nexport const driver = strangerLock(${JSON.stringify(shape)});\n`,
  );
  return path;
};

test("the command ends green, counts clients that outlived their leases, and keeps the first of each", async () => {
  const lock = driverFile("sound.mts", { fence: true });
  const words = ["hunt", "--lock", lock, "--faults", "pause-client,reset", "--seed", "1", "--runs", "300"];
  const store = join(folder, "sound");
  const { code, stdout } = await runCli([...words, "--store", store, "--report", "json,markdown,junit"]);
  expect([code, stdout.replaceAll(/(?<=\S)\n(?=\S)/g, " ")]).toEqual([
    0,
    expect.stringMatching(
      /^300 runs: \d+ valid, \d+ unknown; no required property was violated: (at most [\d.]+ % of such runs break it \(95 %\); \d+ random runs? showed \d+ orders .*|these plans were taken in order, .*)\. Seed 1\.$/m,
    ),
  ]);
  const limit =
    /Clients outlived their leases; what the resource did with their late writes[^]*?rejected the late write by its fencing token: \d+ runs?, first:\s+npx lockstorm replay\s+(\S+)/;
  const [, plan = ""] = limit.exec(stdout) ?? [];
  const replayed = await runCli(["replay", plan, "--store", join(folder, "replayed")]);
  expect([replayed.code, replayed.stdout]).toEqual([0, expect.stringContaining("overrun")]);

  const written = (extension: string): string => readFileSync(join(store, `${huntFile(lock)}${extension}`), "utf8");
  const told = JSON.parse(written(".report.json")) as {
    summary: { notes: { kind: string; runs: number; replay?: string }[] };
  };
  expect(told.summary.notes.map(({ kind }) => kind)).toContain("outlived");
  for (const extension of [".md", ".junit.xml", ".html"])
    expect(written(extension)).toContain("Clients outlived their leases; what the resource did with their late writes");
  const asked = await runCli([
    ...words,
    "--store",
    join(folder, "asked"),
    "--require",
    "mutual-exclusion",
    "--shrink-runs",
    "5",
  ]);
  expect([asked.code, asked.stdout]).toEqual([1, expect.stringContaining("✗ mutual-exclusion")]);
});

const huntFile = (lock: string): string => `hunt-${lock.replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+/g, "")}-single`;

test("a campaign most of whose runs are unknown ends with 2 and says why; merged too", async () => {
  const words = [
    "hunt",
    "--lock",
    "single",
    "--faults",
    "eviction",
    "--seed",
    "1",
    "--runs",
    "40",
    "--require",
    "fencing-tokens",
  ];
  const parts = ["1/2", "2/2"].map((shard, index) => [
    ...words,
    "--shard",
    shard,
    "--store",
    join(folder, `part-${index}`),
  ]);
  const shards = await Promise.all(parts.map((part) => runCli(part)));
  const merged = await runCli([
    "merge",
    join(folder, "part-0"),
    join(folder, "part-1"),
    "--store",
    join(folder, "merged"),
  ]);
  for (const { code, stdout } of [...shards, merged]) {
    expect([code, stdout]).toEqual([2, expect.stringContaining("Unknown, by reason")]);
    expect(stdout).toContain("no event of the history concerns a required property: ");
  }
  expect(merged.stdout).toContain("no event of the history concerns a required property: 40 runs");

  const { entries } = readJournal(
    join(folder, "part-0", "campaigns", "hunt-single-single-1-of-2.jsonl"),
    huntEntrySchema,
  );
  const unknown = entries.filter(({ verdict }) => verdict === "unknown");
  expect(unknown).toHaveLength(20);
  for (const entry of unknown) {
    const notes = [expect.objectContaining({ what: expect.stringMatching(/./) as string })];
    expect(entry).toMatchObject({ notes: expect.arrayContaining(notes) as object[] });
  }
});

test("what breaks and is not claimed is told, with its replay", async () => {
  const { code, stdout } = await runCli([
    "hunt",
    "--lock",
    "redlock",
    "--faults",
    "clock-jump",
    "--seed",
    "1",
    "--runs",
    "30",
    "--store",
    join(folder, "beyond"),
  ]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /Broke a property that the lock does not claim\n {2}- lease-exclusion under clock-jump \(probably clock-jump\): \d+ runs, first:\s+npx lockstorm replay/,
    ),
  ]);
});
