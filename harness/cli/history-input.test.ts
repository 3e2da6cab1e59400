import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inFigures } from "../core/words/in-figures.ts";
import { runCli } from "./testing/run-cli.ts";
import { runMain, type MainResult } from "./testing/run-main.ts";

const HEADER = `{"format":"lockstorm-history","version":1,"clients":2}`;
const ACQUIRE = `{"index":0,"time":10,"process":0,"type":"invoke","f":"acquire","key":"k1","value":{"ttlMs":1000,"waitMs":0}}`;
const GRANTED = `{"index":1,"time":20,"process":0,"type":"ok","f":"acquire","key":"k1","value":{"owner":"a","validForMs":900}}`;
const RELEASE = `{"index":2,"time":30,"process":0,"type":"invoke","f":"release","key":"k1","value":{"owner":"a"}}`;
const RELEASED = `{"index":3,"time":40,"process":0,"type":"ok","f":"release","key":"k1","value":{"released":true}}`;
const GOOD = [HEADER, ACQUIRE, GRANTED, RELEASE, RELEASED];

const testdata = new URL("../check/testdata/", import.meta.url);
const recordedFile = (part: string): string => {
  const name = readdirSync(testdata).find((file) => file.includes(part));
  if (name === undefined) throw new Error(`no history is called ${part}`);
  return fileURLToPath(new URL(name, testdata));
};
const recorded = (part: string): string => readFileSync(recordedFile(part), "utf8");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Checks a file with these lines. */
function check(lines: readonly string[], ...flags: readonly string[]): Promise<MainResult> {
  const file = join(folder, `history-${(files += 1)}.jsonl`);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return runMain(["check", file, ...flags]);
}

test("a history without a violation is valid: exit code 0", { tags: "long" }, async () => {
  const { code, stdout, stderr } = await check(GOOD, "--require", "mutual-exclusion");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^VALID/);
});

test("a history with a violation is invalid: exit code 1, and the violation is shown", { tags: "long" }, async () => {
  const { code, stdout, stderr } = await runCli(["check", "-"], { input: recorded("async-failover") });
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(/^INVALID/);
  expect(stdout).toContain("lost-in-failover");
});

test("what the history does not say is unknown: exit code 2", async () => {
  const { code, stdout } = await check([HEADER]);
  expect(code).toBe(2);
  expect(stdout).toContain("the history holds no events");
});

test.each([
  ["nothing at all", [], /holds no history: its first line is missing; give a file/],
  ["a line that is cut off", [HEADER, ACQUIRE, GRANTED.slice(0, 60)], /, line 3: /],
  ["a line that is no JSON", [HEADER, "acquire k1"], /, line 2: /],
  ["no header", [ACQUIRE, GRANTED], /, line 1: /],
  ["an operation completed twice", [HEADER, ACQUIRE, GRANTED, GRANTED.replace('"index":1', '"index":2')], /, line 4: /],
  ["an operation completed but not begun", [HEADER, GRANTED.replace('"index":1', '"index":0')], /, line 2: /],
  ["time that runs backwards", [HEADER, ACQUIRE, GRANTED.replace('"time":20', '"time":9')], /, line 3: .*time/],
  ["an index left out", [HEADER, ACQUIRE, RELEASED], /, line 3: .*index/],
  ["a version from the future", [HEADER.replace('"version":1', '"version":3')], /, line 1: .*version/],
  ["another format", [HEADER.replace("lockstorm-history", "jepsen")], /, line 1: .*format/],
  [
    "two operations of one process at a time",
    [HEADER, ACQUIRE, ACQUIRE.replace('"index":0', '"index":1')],
    /, line 3: /,
  ],
] as const)("a file with %s is refused, with its line", async (_, lines, problem) => {
  const { code, stdout, stderr } = await check(lines);
  expect(stderr).toMatch(problem);
  expect(stderr).toMatch(/^lockstorm: .*; .*\n$/);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect([code, stdout]).toEqual([254, ""]);
});

test.each([
  ["/nonexistent/history.jsonl", "there is no such file"],
  [tmpdir(), "it is a folder"],
  ["/proc/self/mem", "EIO: i/o error, read"],
])("%s cannot be read, which is said plainly", async (path, why) => {
  const { code, stdout, stderr } = await runMain(["check", path]);
  const hint = "give a history.jsonl, or - for standard input";
  expect(stderr).toBe(`lockstorm: ${path} cannot be read: ${why}; ${hint}\n`);
  expect([code, stdout]).toEqual([254, ""]);
});

test("a symbolic link that leads to itself cannot be read, which is said plainly", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-loop-"));
  const path = join(folder, "loop.jsonl");
  symlinkSync(path, path);
  const { code, stderr } = await runMain(["check", path]);
  rmSync(folder, { recursive: true });
  const why = "it is a symbolic link, or symbolic links form a loop";
  expect(stderr).toBe(`lockstorm: ${path} cannot be read: ${why}; give a history.jsonl, or - for standard input\n`);
  expect(code).toBe(254);
});

test("standard input that is no history is called so", async () => {
  const { code, stderr } = await runCli(["check", "-"], { input: "{}\n" });
  expect(code).toBe(254);
  expect(stderr).toMatch(/^lockstorm: standard input, line 1: .*\n$/);
});

test("--json is the verdict and nothing else, with the exit code of the verdict", async () => {
  const { code, stdout } = await runMain(["check", recordedFile("plain-del"), "--json"]);
  const verdict = JSON.parse(stdout) as { verdict: string; properties: Record<string, { verdict: string }> };
  expect(code).toBe(1);
  expect(verdict.verdict).toBe("invalid");
  expect(verdict.properties["mutual-exclusion"]?.verdict).toBe("invalid");
});

test("--require decides which properties count", async () => {
  const judged = (properties: string): Promise<MainResult> =>
    runMain(["check", recordedFile("overrun-after-pause"), "--require", properties]);
  expect(await judged("lease-exclusion")).toMatchObject({ code: 0 });
  expect(await judged("lease-exclusion,mutual-exclusion")).toMatchObject({ code: 1 });
});

test("--property judges that one only, and may be repeated", async () => {
  const properties = ["--property", "lease-exclusion", "--property", "fencing-tokens"];
  const { code, stdout } = await runMain(["check", recordedFile("overrun-after-pause"), "--json", ...properties]);
  const verdict = JSON.parse(stdout) as { required: string[]; properties: Record<string, unknown> };
  expect([code, verdict.required]).toEqual([0, ["lease-exclusion", "fencing-tokens"]]);
  expect(Object.keys(verdict.properties)).toEqual(["lease-exclusion", "fencing-tokens"]);
});

test("--model is what linearizability is judged against", async () => {
  const file = recordedFile("fencing-tokens=valid.reentry.jsonl");
  const judged = (...flags: string[]): Promise<MainResult> =>
    runMain(["check", file, "--property", "linearizability", ...flags]);
  expect(await judged()).toMatchObject({ code: 0 });
  expect(await judged("--model", "owner-aware")).toMatchObject({ code: 1 });
  expect(await judged("--model", "owner-aware-mutex")).toMatchObject({ code: 1 });
});

test("--observe-contention has a refusal count", async () => {
  const refused = `{"index":5,"time":60,"process":1,"type":"fail","f":"acquire","key":"k1","value":{"reason":"contended"}}`;
  const lines = [
    ...GOOD,
    ACQUIRE.replace('"index":0,"time":10,"process":0', '"index":4,"time":50,"process":1'),
    refused,
  ];
  expect(await check(lines, "--property", "linearizability")).toMatchObject({ code: 0 });
  const observed = ["--property", "linearizability", "--observe-contention"];
  expect(await check(lines, ...observed, "--model", "owner-aware")).toMatchObject({ code: 1 });
  // With re-entry, the first grant may have entered a hold from before the history once more, which one release leaves.
  expect(await check(lines, ...observed)).toMatchObject({ code: 0 });
});

test("what --write-edn writes is judged the same, by its name or by what it holds", { tags: "long" }, async () => {
  const file = join(folder, "written.edn");
  const flags = ["--property", "mutual-exclusion", "--property", "linearizability", "--json"];
  const original = await runMain(["check", recordedFile("plain-del-seen-by-release"), ...flags, "--write-edn", file]);
  expect(original.code).toBe(1);
  const written = readFileSync(file, "utf8");
  const fromFile = await runMain(["check", file, ...flags]);
  const fromInput = await runCli(["check", "-", ...flags], { input: written });
  expect(fromInput.stdout).toBe(fromFile.stdout);
  for (const { code, stdout } of [fromFile, fromInput]) {
    const verdicts = [stdout, original.stdout].map((text) => {
      const { properties } = JSON.parse(text) as { properties: Record<string, { verdict: string }> };
      return Object.entries(properties).map(([property, { verdict }]) => [property, verdict]);
    });
    expect([code, verdicts[0]]).toEqual([1, verdicts[1]]);
  }
  const refused = await runMain(["check", file, "--format", "jsonl"]);
  expect(refused).toMatchObject({ code: 254, stderr: expect.stringMatching(/written\.edn, line 1: not JSON/) });
  const same = await runMain(["check", file, "--write-edn", file]);
  expect(same).toMatchObject({ code: 254, stderr: expect.stringMatching(/would overwrite/) });
  expect(readFileSync(file, "utf8")).toBe(written);
});

test("a history too long to be drawn is judged, and its violations are told", { tags: "long" }, async () => {
  const rounds = Array.from({ length: 5_001 }, (_, round) => {
    const times = [1, 2, 3, 4].map((step) => round * 10 + step);
    return [ACQUIRE, GRANTED, RELEASE, RELEASED].map((line, step) =>
      line
        .replace(/"index":\d+,"time":\d+/, `"index":${round * 4 + step},"time":${times[step]}`)
        .replace('"owner":"a"', `"owner":"a${round}"`),
    );
  });
  const index = rounds.length * 4;
  const again = (line: string, process: number, event: number): string =>
    line
      .replace(
        /"index":\d+,"time":\d+,"process":0/,
        `"index":${index + event},"time":${1e6 + event},"process":${process}`,
      )
      .replace('"owner":"a"', `"owner":"b${process}"`);
  const overlapping = [again(ACQUIRE, 0, 0), again(GRANTED, 0, 1), again(ACQUIRE, 1, 2), again(GRANTED, 1, 3)];
  const { code, stdout, stderr } = await check([HEADER, ...rounds.flat(), ...overlapping]);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toContain(`${inFigures(index + 4)} events`);
  expect(stdout).toContain(`events ${index + 1}, ${index + 3} (event n is on line n + 2 of the history)`);
  expect(stdout).toMatch(/The lock promised k1 to two owners/);
});

test("reading can be interrupted", async () => {
  const child = spawn(process.execPath, [new URL("launch.js", import.meta.url).pathname, "check", "-"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = once(child, "close");
  // A line longer than any pipe holds: once it is written, the program reads.
  await new Promise((resolve) => child.stdin.write(`${HEADER}\n${" ".repeat(1_000_000)}`, resolve));
  child.stdin.on("error", () => {});
  child.kill("SIGINT");
  const [code] = (await exited) as [number];
  expect(code).toBe(130);
});

test("a pipe that nobody reads changes neither the verdict nor what is said", async () => {
  const file = join(folder, "broken.jsonl");
  writeFileSync(file, recorded("async-failover"));
  const program = new URL("launch.js", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, "check", file], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (words: Buffer) => (said += words.toString()));
  const [code] = (await once(child, "close")) as [number];
  expect([code, said]).toEqual([1, ""]);
});
