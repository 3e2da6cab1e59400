// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planSchema } from "../../core/plan.ts";
import { PROMISABLE } from "../../core/verdict.ts";
import { TOOLCHAINS } from "../../external/languages/registry.ts";
// As in the command line, the simulation has patched the platform.
import "../run-simulated.ts";
import { runLive } from "./run-live.ts";

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

test("Redisson's fair lock drops a waiter that is alive, and the next one passes it", async () => {
  await TOOLCHAINS.java.prepare(() => {});
  const path = join(import.meta.dirname, "../../../kits/java/upstream/overtaken.json");
  const plan = planSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  const { record } = await runLive(plan, { store, title: "overtaken", required: PROMISABLE });
  const fifo = record.verdict.properties["first-come-first-served"];
  expect(fifo).toMatchObject({ verdict: "invalid", violations: [{ cause: "overtaken" }] });
  // Nothing else is to blame: no fault, and no lease ended early.
  expect(record.verdict.properties["lease-exclusion"]?.verdict).not.toBe("invalid");
});
