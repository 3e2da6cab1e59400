import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runMain } from "./testing/run-main.ts";

const root = mkdtempSync(join(tmpdir(), "lockstorm-annotations-"));
afterAll(() => rmSync(root, { recursive: true }));

test("on GitHub a hunt's findings are annotations, errors and notices alike", { tags: "long" }, async () => {
  const words = ["hunt", "--lock", "single", "--faults", "reset", "--runs", "40", "--seed", "1", "--threads", "1"];
  const github = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(root, "summary.md") };
  const { stdout } = await runMain([...words, "--store", join(root, "store")], { env: github });
  expect(stdout).toMatch(/^::notice title=[^:]+::/m);
  // Words of a lock or a plan are no command.
  expect(stdout.match(/^::.*$/gm)?.every((line) => /^::(?:error|warning|notice) title=/.test(line))).toBe(true);
});
