import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UserError } from "../../core/errors.ts";
import { Flags } from "../command.ts";
import { readSeed, seedOfCommit } from "./seed-flag.ts";

const COMMIT = "f00dfacecafe00000000000000000000deadbeef";
let folder: string;
let home: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-seed-"));
  home = process.cwd();
  process.chdir(folder);
  for (const name of ["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"]) vi.stubEnv(name, "");
});

afterEach(() => {
  process.chdir(home);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const auto = (): number | undefined => readSeed(new Flags({ seed: "auto" }));

function git(...words: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

test("a seed is a number, or nothing", () => {
  expect(readSeed(new Flags({ seed: "7" }))).toBe(7);
  expect(readSeed(new Flags({}))).toBeUndefined();
  expect(() => readSeed(new Flags({ seed: "automatic" }))).toThrow("is not a whole number");
});

test("the same commit gives the same seed, of 31 bits", () => {
  expect(seedOfCommit(COMMIT)).toBe(0x700dface);
  expect(seedOfCommit("0000000a")).toBe(10);
});

test("it comes from the commit that is checked out, before what the CI system says", () => {
  git("init");
  git("commit", "--allow-empty", "--message", "one");
  vi.stubEnv("GITHUB_SHA", COMMIT);
  expect(auto()).toBe(seedOfCommit(git("rev-parse", "HEAD")));
});

test.each(["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"])("without a checkout it comes from %s", (name) => {
  vi.stubEnv(name, `${COMMIT}\n`);
  expect(auto()).toBe(seedOfCommit(COMMIT));
});

test("no commit anywhere is the user's to fix", () => {
  vi.stubEnv("GITHUB_SHA", "main");
  expect(auto).toThrow(UserError);
  expect(auto).toThrow("--seed auto finds no commit here");
});
