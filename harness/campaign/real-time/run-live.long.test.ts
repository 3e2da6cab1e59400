// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { differences } from "../../../workloads/scenario-outcome.ts";
import { runScenario } from "../testing/scenario-live.ts";

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

test.each(["crash-no-persist", "async-failover", "pause-past-lease"])(
  "%s comes out as the catalogue says with client processes on simulated servers",
  async (slug) => {
    for (const variant of ["schedule", "control", "no-faults"] as const) {
      const { scenario, record } = await runScenario(store, slug, variant);
      expect([variant, differences(scenario, variant, record)]).toEqual([variant, []]);
    }
  },
);
