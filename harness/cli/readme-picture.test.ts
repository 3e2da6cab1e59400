import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "./testing/run-main.ts";

/** `npx vitest run -u` on this file redraws it. */
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
