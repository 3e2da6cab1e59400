// @module-tag long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Summary } from "../../../reports/campaign/summary.ts";
import { describeWithEngine } from "../../containers/testing/engine-required.ts";
import { runCli } from "../testing/run-cli.ts";

describeWithEngine("a table on real servers", () => {
  test("shows what the simulation found of a lock, and where it holds", async () => {
    const store = await mkdtemp(join(tmpdir(), "lockstorm-ladder-"));
    try {
      const words = ["hunt", "--ladder", "--lock", "single", "--topology", "single", "--store", store, "--json"];
      const faults = "eviction,latency";
      const { code, stdout, stderr } = await runCli([...words, "--faults", faults, "--backend", "containers"]);
      expect([code, stderr]).toEqual([0, expect.stringContaining("single (single) under eviction")]);
      const { cells } = JSON.parse(stdout) as Summary;
      // Some of the clients hold for longer than their lease: that breaks no promise.
      const kept = expect.stringMatching(/^(holds|outlived)$/);
      expect(cells.map(({ fault, found }) => [fault, found])).toEqual([
        ["none", kept],
        ["latency", kept],
        ["eviction", "broken"],
      ]);
    } finally {
      await rm(store, { recursive: true });
    }
  });
});
