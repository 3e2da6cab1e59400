import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TtlAdvice } from "../../../reports/advice/ttl-advice.ts";
import { readHolds } from "../advice/hold-durations.ts";
import { runCli } from "../testing/run-cli.ts";
import { runMain } from "../testing/run-main.ts";

const HISTORY = [
  { format: "lockstorm-history", version: 1, clients: 2 },
  { index: 0, time: 0, process: 0, type: "invoke", f: "acquire", key: "k", value: { ttlMs: 1000, waitMs: 0 } },
  { index: 1, time: 5e6, process: 0, type: "ok", f: "acquire", key: "k", value: { owner: "a", validForMs: 990 } },
  { index: 2, time: 255e6, process: 0, type: "invoke", f: "release", key: "k", value: { owner: "a" } },
  { index: 3, time: 260e6, process: 0, type: "ok", f: "release", key: "k", value: { released: true } },
  { index: 4, time: 300e6, process: 1, type: "invoke", f: "acquire", key: "k", value: { ttlMs: 1000, waitMs: 0 } },
  { index: 5, time: 305e6, process: 1, type: "ok", f: "acquire", key: "k", value: { owner: "b", validForMs: 990 } },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-advise-"));
  writeFileSync(join(folder, "history.jsonl"), HISTORY.map((line) => `${JSON.stringify(line)}\n`).join(""));
});
afterAll(() => rmSync(folder, { recursive: true }));

const list = (text: string): string => {
  const path = join(folder, "durations.txt");
  writeFileSync(path, text);
  return path;
};

test("a hold of a history goes from its grant to its release; one that the record cuts off is counted", async () => {
  const file = join(folder, "history.jsonl");
  expect(await readHolds([file])).toEqual({ durationsMs: [250], cutOff: 1, planned: 0 });
  expect(await readHolds([folder, file])).toEqual({ durationsMs: [250, 250], cutOff: 2, planned: 0 });
});

test("holds of plans are no holds of an application, and the advice says so", { tags: "long" }, async () => {
  const planned = join(folder, "planned.jsonl");
  const [header, ...events] = HISTORY;
  writeFileSync(
    planned,
    [{ ...header, backend: "simulated" }, ...events].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  expect(await readHolds([planned, folder])).toEqual({ durationsMs: [250, 250], cutOff: 2, planned: 1 });
  const { stdout } = await runMain(["advise", planned, folder]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "1 of 2 holds is of a plan that lockstorm ran: it lasted for as long as the plan says, which says nothing about an application. Give durations of yours: npx lockstorm advise - < durations.txt",
  );
  const own = await runMain(["advise", folder]);
  expect(own.stdout).not.toContain("plan");
});

test("durations come with units or without, with comments, many or one a line", async () => {
  const { durationsMs } = await readHolds([list("# holds\n250\n1.5s, 20ms;3m\r\n\n 500us # short\n1e2\n")]);
  expect(durationsMs).toEqual([250, 1500, 20, 180_000, 0.5, 100]);
});

test.each(["1\n-5\n", "1\nlong\n", "1\n5 days\n", "1\n0x10\n", "1\nNaN\n"])(
  "%j is refused with its line",
  async (text) => {
    await expect(readHolds([list(text)])).rejects.toThrow(/durations\.txt, line 2: "[^"]+" is not a duration/);
  },
);

test("a file that is no text is refused as such", async () => {
  await expect(readHolds([list("1\n\u007fELF\0\u0002\n")])).rejects.toThrow(/durations\.txt, line 2: not UTF-8 text$/);
});

test("advises from standard input; from a file as JSON", { tags: "long" }, async () => {
  const input = Array.from({ length: 3000 }, (_, index) => 100 + (index % 10)).join("\n");
  const text = await runCli(["advise", "-", "--margin", "50%"], { input });
  const json = await runMain(["advise", list(input), "--margin", "50", "--format", "json"]);
  expect([text.code, text.stderr]).toEqual([0, ""]);
  expect(text.stdout).toContain("Take a TTL of 320 ms");
  const advice = JSON.parse(json.stdout) as TtlAdvice;
  expect(advice).toMatchObject({ holds: 3000, p999Ms: 109, advised: { rule: "3 x mean", ttlMs: 320, overruns: 0 } });
  expect(advice.choices.map(({ ttlMs }) => ttlMs)).toEqual([170, 320, 530]);
});

test("a list without a duration is refused", async () => {
  const { code, stderr } = await runMain(["advise", list("# none\n")]);
  expect(code).toBe(254);
  expect(stderr).toMatch(
    /^lockstorm: there is no complete hold in .*durations\.txt; record runs, or give durations\n$/,
  );
});

test.each([
  [["advise", "/dev/null"], /^lockstorm: \/dev\/null, line 1: "a device" is not a duration/],
  [["advise", "no-such.jsonl"], /^lockstorm: no-such\.jsonl cannot be read: there is no such file; /],
  [["advise", "--store", "/proc/sys"], /^lockstorm: \/proc\/sys holds no recorded run; name a run's folder/],
])("%j is refused in one line", async (words, line) => {
  const { code, stdout, stderr } = await runMain(words);
  expect([code, stdout]).toEqual([254, ""]);
  expect(stderr).toMatch(line);
});
