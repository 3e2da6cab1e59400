// @module-tag long
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { EXPERIMENT_IDS } from "../../../workloads/debate/experiment-ids.ts";
import { AUTHORS, type MeasuredDebate } from "../../core/measurement.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import { runCli, startCli } from "../testing/run-cli.ts";
import { measureDebate } from "../../campaign/debate/measure-debate.ts";

/** The experiments whose every cell has an outcome that a few runs show. */
const PLAIN = EXPERIMENT_IDS.filter((id) => id !== "topologies");

const natural = z.int().nonnegative();
const count = z.strictObject({
  violated: natural,
  judged: natural,
  expected: z.enum(["never", "sometimes"]).optional(),
});
const debateSchema = z.strictObject({
  seed: natural,
  runs: natural,
  sources: z.record(z.enum(AUTHORS), z.strictObject({ name: z.string().min(1), link: z.url() })),
  experiments: z.array(
    z.strictObject({
      id: z.enum(EXPERIMENT_IDS),
      question: z.string().endsWith("?"),
      says: z.record(z.enum(AUTHORS), z.string().min(1)),
      rowAxis: z.string(),
      columnAxis: z.string(),
      properties: z.array(z.enum(PROPERTIES)).min(1),
      cells: z
        .array(
          z.strictObject({
            row: z.string(),
            column: z.string(),
            x: z.number().optional(),
            runs: natural,
            met: natural,
            counts: z.partialRecord(z.enum(PROPERTIES), count),
          }),
        )
        .min(1),
      predictions: z.array(
        z.strictObject({ by: z.enum(AUTHORS), claim: z.string(), holds: z.boolean(), expected: z.boolean() }),
      ),
      verdict: z.string().endsWith("."),
      surprises: z.array(z.string()),
    }),
  ),
});

let store: string;
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), "lockstorm-debate-"));
});
afterAll(() => rm(store, { recursive: true }));

const parsed = (stdout: string): unknown => JSON.parse(stdout);

describe("the six experiments with schedules of their own", () => {
  let code: number | null;
  let measured: z.infer<typeof debateSchema>;
  beforeAll(async () => {
    const words = ["debate", "--only", PLAIN.join(","), "--runs", "3", "--json", "--store", store];
    const result = await runCli(words);
    code = result.code;
    measured = debateSchema.parse(parsed(result.stdout));
  });

  test.each(PLAIN)("%s comes out as predicted", (id) => {
    const experiment = measured.experiments.find((each) => each.id === id);
    expect(experiment?.surprises).toEqual([]);
    expect(experiment?.predictions.map(({ holds }) => holds)).toEqual(
      experiment?.predictions.map(({ expected }) => expected),
    );
  });

  test("every run came into the situation that it was made for", () => {
    for (const { id, cells } of measured.experiments) {
      for (const { row, column, runs, met } of cells) expect(met, `${id}: ${row}, ${column}`).toBe(runs);
    }
  });

  test("the exit code says so, and the page stands by itself", async () => {
    expect(code).toBe(0);
    const page = await readFile(join(store, "debate.html"), "utf8");
    for (const { id } of measured.experiments) expect(page).toContain(`<section class="block" id="${id}"`);
    expect(page).toContain('<svg class="chart shares"');
    expect(page).toContain("prefers-color-scheme: dark");
    expect(page).not.toMatch(/<script|<img|<link|src=|url\(/);
  });
});

test("the same seed gives the same numbers in any process, another seed others", async () => {
  const numbersOf = async (seed: string): Promise<unknown> => {
    const words = ["debate", "--only", "clock-rate,topologies", "--runs", "1", "--seed", seed, "--json"];
    return parsed((await runCli([...words, "--store", store])).stdout);
  };
  const first = await numbersOf("11");
  expect(await numbersOf("11")).toEqual(first);
  const { experiments: others } = (await numbersOf("12")) as MeasuredDebate;
  expect(others).not.toEqual((first as MeasuredDebate).experiments);
});

test("what does not come out as predicted is told, and is exit code 1", async () => {
  // One run does not show what happens in some.
  const words = ["debate", "--only", "clock-rate", "--runs", "1", "--seed", "3", "--store", store];
  const { code, stdout } = await runCli(words);
  expect(stdout).toContain("0 of 1 experiment as predicted (seed 3, 1 run of each cell); not so: clock-rate");
  expect(stdout).toMatch(
    /not as predicted +\d+ s, 1\.\d+: lease-exclusion violated in 0 of 1 runs, expected sometimes/,
  );
  expect(code).toBe(1);
});

test("Ctrl-C ends it, with what was measured so far", async () => {
  const { child, says, result } = startCli(["debate", "--runs", "1000", "--store", store]);
  await says("measuring tokens");
  child.kill("SIGINT");
  const { code, stderr } = await result;
  expect(stderr).toContain(`${EXPERIMENT_IDS.length} of ${EXPERIMENT_IDS.length} experiments are not measured`);
  expect(code).toBe(130);
});

test.each([
  [["--only", "pause,token"], 'lockstorm: --only does not know "token"; did you mean tokens?'],
  [["--runs", "0"], 'lockstorm: --runs "0" is not a whole number of at least 1; '],
  [["pause"], 'lockstorm: debate takes no "pause"; '],
])("%j is refused", async (words, line) => {
  const { code, stdout, stderr } = await runCli(["debate", ...words]);
  expect(stderr).toContain(line);
  expect([code, stdout]).toEqual([254, ""]);
});

test("threads do not change the numbers: one experiment, measured here", async () => {
  const options = { only: ["clock-rate"], seed: 4, runs: 2, signal: new AbortController().signal } as const;
  const words = ["debate", "--only", "clock-rate", "--runs", "2", "--seed", "4", "--json", "--store", store];
  expect(parsed((await runCli(words)).stdout)).toEqual(await measureDebate(options));
});
