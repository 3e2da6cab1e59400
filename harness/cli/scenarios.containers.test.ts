import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue } from "../../workloads/catalogue.ts";
import { differences } from "../../workloads/scenario-outcome.ts";
import { planOf, requiredOf, type Variant } from "../../workloads/scenario.ts";
import { describeWithEngine } from "../containers/engine-required.ts";
import { Progress } from "./progress.ts";
import { runOnContainers } from "./run-on-containers.ts";

/** The scenarios that are shown on real servers first of all; `reproduce --all --backend containers` shows the others. */
const SLUGS = [
  "plain-del",
  "pause-past-lease",
  "crash-no-persist",
  "async-failover",
  "node-clock-jump",
  "bad-elapsed-check",
];

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

async function run(slug: string, choices: { readonly variant?: Variant; readonly lock?: string } = {}) {
  const scenario = catalogue.find((each) => each.slug === slug);
  if (scenario === undefined) throw new Error(`there is no scenario ${slug}`);
  using progress = new Progress({ isTTY: false, columns: 80, write: () => true });
  const { record } = await runOnContainers(planOf(scenario, { seed: 1, ...choices }), {
    store,
    title: slug,
    required: requiredOf(scenario, choices.variant ?? "schedule"),
    server: "redis8",
    proxyPort: 0,
    signal: new AbortController().signal,
    progress,
  });
  return { scenario, record };
}

describeWithEngine("on real servers", () => {
  describe.each(SLUGS)("%s", (slug) => {
    test.each(["schedule", "control", "no-faults"] as const)("comes out as the catalogue says: %s", async (variant) => {
      const { scenario, record } = await run(slug, { variant });
      expect(differences(scenario, variant, record)).toEqual([]);
    });
  });

  test("pause-past-lease with fencing tokens: the late write is attempted, refused, and reported so", async () => {
    const {
      record: { verdict, history },
    } = await run("pause-past-lease", { lock: "fenced" });
    expect(verdict.properties["mutual-exclusion"]?.verdict).toBe("invalid");
    expect(verdict.properties["stale-writes"]?.verdict).toBe("valid");
    expect(verdict.properties["fencing-tokens"]?.verdict).toBe("valid");
    const refused = history.events.filter(
      ({ type, value }) => type === "audit" && "accepted" in value && !value.accepted,
    );
    expect(refused).toHaveLength(1);
    expect(verdict.remarks.join(" ")).toMatch(/refused/);
  });
});
