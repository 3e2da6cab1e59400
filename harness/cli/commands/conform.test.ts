import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-conform-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("what many checks find is told once, and by the answer of the wrong shape alone", { tags: "long" }, async () => {
  const path = join(folder, "boolean.mjs");
  writeFileSync(
    path,
    `export const driver = { connect: async () => ({
      acquire: async () => true, release: async () => true, [Symbol.asyncDispose]: async () => {},
    }) };`,
  );
  const { stdout, code } = await runCli(["conform", path]);
  const text = stdout.replaceAll(/\s+/g, " ");
  expect(code).toBe(1);
  expect(text.match(/it gave boolean: return \{ type: 'ok', value \}/g)).toHaveLength(1);
  expect(text).toMatch(/MISTAKE contention .*? -> the same as in grants /);
  expect(text).not.toContain("invalid-answer");
});
