import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { UserError } from "../core/errors.ts";
import { verifyLock } from "../verify/verify-lock.ts";
import { runCli } from "./testing/run-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-hangs-"));
const env = { LOCKSTORM_STEP_LIMIT_MS: "400" };
const driver = (loop: string): string => `
export const driver = { connect: async () => ({
  acquire: async (key) => {
    ${loop}
    return { type: "ok", value: { key, owner: String(Math.random()) } };
  },
  release: async () => ({ type: "info", reason: "it does not say" }),
  [Symbol.asyncDispose]: async () => {},
}) };
`;
const FILES = {
  "loops.mjs": driver("for (;;);"),
  "retries.mjs": driver('for (;;) try { await Promise.reject(new Error("closed")); } catch {}'),
  "fills.mjs": driver("for (const all = []; ; ) all.push(new Array(1e6).fill(String(all.length)));"),
  "loops-at-load.mjs": "for (;;);",
};

beforeAll(() => {
  vi.stubEnv("LOCKSTORM_STEP_LIMIT_MS", env.LOCKSTORM_STEP_LIMIT_MS);
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const line = (lock: string, place: string, rest = ""): string =>
  `lockstorm: ${lock} computed for 0.4 s of processor time without waiting for anything, ${place}; ` +
  `wait for a timer or an answer in each round, or allow more by LOCKSTORM_STEP_LIMIT_MS${rest}\n`;
const inRun = "in the run of the plan with seed 4";
const kept = "; the plan is kept: npx lockstorm replay .lockstorm/hang-4.json";

test("a hunt of a lock that never waits ends with one line, and keeps the plan", { tags: "long" }, async () => {
  const words = (lock: string): readonly string[] => ["hunt", "--lock", lock, "--seed", "4", "--runs", "20"];
  const loops = await runCli(words("./loops.mjs"), { cwd: folder, env });
  expect(loops.stderr).toContain(line("./loops.mjs", inRun, kept));
  const replayed = await runCli(["replay", ".lockstorm/hang-4.json"], { cwd: folder, env });
  expect(replayed.stderr).toContain(inRun);
  const retries = await runCli(words("./retries.mjs"), { cwd: folder, env });
  expect(retries.stderr).toContain(line("./retries.mjs", inRun, kept));
  expect([loops.code, replayed.code, retries.code]).toEqual([254, 254, 254]);
});

test("conform ends with one line, also where the loop is at the top of the module", { tags: "long" }, async () => {
  const [retries, atLoad] = await Promise.all([
    runCli(["conform", "./retries.mjs", "--seed", "4"], { cwd: folder, env }),
    runCli(["conform", "./loops-at-load.mjs", "--seed", "4"], { cwd: folder, env }),
  ]);
  expect(retries.stderr).toBe(line("./retries.mjs", inRun));
  const path = join(folder, "loops-at-load.mjs");
  // On a busy machine, a line before says that loading takes its time.
  expect(atLoad.stderr).toMatch(/^(?:loading [^\n]* takes more than a second\n)?lockstorm: [^\n]*\n$/);
  expect(atLoad.stderr).toContain(line(path, "while it was loaded"));
  expect([retries.code, atLoad.code]).toEqual([254, 254]);
});

test("a thread of an exploration that never ends its step ends the exploration", { tags: "long" }, async () => {
  const words = ["explore", "--lock", "./loops.mjs", "--seed", "4", "--threads", "2", "--deviations", "1"];
  const { code, stderr } = await runCli(words, { cwd: folder, env });
  expect(stderr).toContain("lockstorm: ./loops.mjs computed for 0.4 s of processor time");
  expect(stderr).toContain(inRun);
  expect(code).toBe(254);
});

test("a lock that takes all memory ends the hunt and the exploration with one line", { tags: "long" }, async () => {
  const memory = { NODE_OPTIONS: "--max-old-space-size=200", LOCKSTORM_STEP_LIMIT_MS: "60000" };
  const fills = ["--lock", "./fills.mjs", "--seed", "4", "--threads", "2"];
  const ends = await Promise.all(
    ["hunt", "explore"].map((command) => runCli([command, ...fills], { cwd: folder, env: memory })),
  );
  for (const { code, stderr } of ends) {
    expect(stderr).toMatch(
      /lockstorm: \.\/fills\.mjs, in the run of the plan with seed 4, needed more memory than Node/,
    );
    expect(stderr).not.toContain("unexpected");
    expect(code).toBe(254);
  }
});

test("verifyLock rejects with the same words", { tags: "long" }, async () => {
  const lock = join(folder, "retries.mjs");
  const verification = verifyLock({ lock, topology: "single", seed: 4, runs: 5, store: join(folder, "store") });
  await expect(verification).rejects.toThrow(UserError);
  await expect(verification).rejects.toThrow(inRun);
});
