import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "./testing/run-main.ts";

/** `reproduce async-failover`, and then `report <its run> --format svg > docs/async-failover.svg`, redraws it. */
test("the README's picture is what async-failover looks like now", async () => {
  const store = await mkdtemp(join(tmpdir(), "lockstorm-picture-"));
  try {
    const run = await runMain(["reproduce", "async-failover", "--store", store]);
    expect(run.code).toBe(1);
    const [folder = ""] = await readdir(join(store, "runs"));
    const { stdout } = await runMain(["report", join(store, "runs", folder), "--format", "svg"]);
    await expect(stdout).toMatchFileSnapshot("../../docs/async-failover.svg");
  } finally {
    await rm(store, { recursive: true });
  }
});

test("what the README shows of the first minute is what `lockstorm` alone prints now", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, shown = ""] = /^ {4}(INVALID {2}async-failover: (?:.*\n(?: {4}|\n))*?.*)\n\nFrom here:$/m.exec(readme) ?? [];
  const blocks = shown.replaceAll(/^ {4}/gm, "").split("\n\n");
  expect(blocks.length).toBeGreaterThan(3);
  const { stdout } = await runMain([]);
  for (const block of blocks) expect(stdout).toContain(`${block}\n`);
});
