import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readPlan } from "./store.ts";
import { planPath } from "./plan-path.ts";

const PLAN = "docs/locks/plans/redlock.json";
const before = process.cwd();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-plan-path-"));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

test("a plan of the documentation is found outside a clone, under the name that the page gives it", () => {
  expect(readPlan(planPath(PLAN)).lock).toBe("redlock");
});

test("a file of that name in the working folder comes first", () => {
  mkdirSync(join(folder, "docs/locks/plans"), { recursive: true });
  writeFileSync(join(folder, PLAN), "{}");
  expect(planPath(PLAN)).toBe(PLAN);
});

test.each(["docs/locks/plans/nothing.json", "nothing.json", "package.json"])(
  "%s is no plan of the documentation",
  (path) => expect(planPath(path)).toBe(path),
);
