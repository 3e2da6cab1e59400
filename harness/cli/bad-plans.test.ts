import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain, type MainResult } from "./testing/run-main.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-bad-plans-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const section = { key: "k1", ttlMs: 1000, waitMs: 2000, steps: [{ do: "write" }] };
const plan = {
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [{ sections: [section] }, { sections: [section] }],
  faults: [],
};

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function replay(name: string, changed: object, ...more: readonly string[]): Promise<MainResult> {
  return runMain([
    "replay",
    write(`${name}.json`, JSON.stringify({ ...plan, ...changed })),
    "--store",
    folder,
    ...more,
  ]);
}

test.each([
  ["no seed", { seed: undefined }, /is not a plan: seed: missing; correct/],
  ["a limit beyond all time", { limitMs: 1e300 }, /is not a plan: limitMs: /],
  [
    "a directive of two lines",
    { topology: { kind: "single", config: { appendonly: "yes\nport 1" } } },
    /config.appendonly/,
  ],
  [
    "a directive of the harness",
    { topology: { kind: "single", config: { dir: "/etc" } } },
    /is set by lockstorm itself/,
  ],
  [
    "a directive that nobody knows",
    { topology: { kind: "single", config: { foo: "1" } } },
    /has no directive foo; correct/,
  ],
  [
    "a value that Redis does not take",
    { topology: { kind: "single", config: { appendonly: "?" } } },
    /'yes' or 'no'; correct/,
  ],
])("a plan with %s is refused in one line", { tags: "long" }, async (name, changed, problem) => {
  const { code, stdout, stderr } = await replay(name, changed);
  expect(stderr).toMatch(problem);
  expect(stderr).toMatch(/^lockstorm: [^\n]*; [^\n]*\n$/);
  expect([code, stdout]).toEqual([254, ""]);
});

test.each([
  [
    "hang.mjs",
    "export const driver = { connect: () => new Promise(() => {}) };",
    /client-0 never connects; fix its driver/,
  ],
  [
    "throw.mjs",
    "export const driver = { async connect() { throw new Error('no\\nway'); } };",
    /could not connect: no way; fix its driver/,
  ],
  [
    "misspelt.mjs",
    "export const driver = {\n  async connect({ servers }) { servers.addres.host; } };",
    /could not connect: Cannot read [^;]*'host'\) \([^;]*\(file:[^;]*\/misspelt\.mjs:2:47\)\); fix its driver/,
  ],
  [
    "empty.mjs",
    "export const driver = { connect: async () => ({}) };",
    /its connect returns no client: there is no acquire/,
  ],
])("a driver that cannot be used is refused in one line: %s", async (name, text, problem) => {
  const { code, stdout, stderr } = await replay(name, { lock: write(name, text) });
  expect(stderr).toMatch(problem);
  expect(stderr).toMatch(/^lockstorm: [^\n]*; [^\n]*\n$/);
  expect([code, stdout]).toEqual([254, ""]);
});

test("what a driver answers wrongly is told, and the history can be read again", async () => {
  const lock = write(
    "wrong.mjs",
    `export const driver = { connect: async () => ({
      acquire: async (key) => ({ type: "ok", value: { key, owner: "", validForMs: NaN } }),
      release: async () => undefined,
      [Symbol.asyncDispose]: async () => {},
    }) };`,
  );
  const run = await replay("wrong", { lock }, "--json");
  const mistake = "the lock's driver made a mistake in acquire of client-0";
  expect([run.code, JSON.parse(run.stdout).reasons[0]]).toEqual([2, expect.stringContaining(mistake)]);
  const kept = readdirSync(join(folder, "runs")).find((name) =>
    readFileSync(join(folder, "runs", name, "plan.json"), "utf8").includes("wrong.mjs"),
  );
  const again = await runMain(["check", join(folder, "runs", kept ?? "", "history.jsonl"), "--json"]);
  expect([again.code, JSON.parse(again.stdout).reasons[0]]).toEqual([2, expect.stringContaining(mistake)]);
});
