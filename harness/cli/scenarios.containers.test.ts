import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue } from "../../workloads/catalogue.ts";
import { planOf } from "../../workloads/scenario.ts";
import { describeWithEngine } from "../containers/engine-required.ts";
import { PROPERTIES, type Property, type Verdict } from "../core/verdict.ts";
import { Progress } from "./progress.ts";
import { runOnContainers } from "./run-on-containers.ts";

/** The scenarios that are shown on real servers first of all. */
const SLUGS = ["plain-del", "pause-past-lease", "crash-no-persist", "async-failover", "node-clock-jump"];

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

async function run(slug: string, choices: { readonly faults?: boolean; readonly lock?: string }) {
  const scenario = catalogue.find((each) => each.slug === slug);
  if (scenario === undefined) throw new Error(`there is no scenario ${slug}`);
  const plan = planOf(scenario, { seed: 1, ...choices });
  using progress = new Progress({ isTTY: false, columns: 80, write: () => true });
  const { record } = await runOnContainers(plan, {
    store,
    title: slug,
    required: PROPERTIES.filter((property) => scenario.expected[property] !== undefined),
    server: "redis8",
    proxyPort: 0,
    signal: new AbortController().signal,
    progress,
  });
  return { scenario, verdict: record.verdict, history: record.history };
}

const causes = ({ properties }: Verdict, property: Property): readonly string[] =>
  properties[property]?.violations.map(({ cause }) => cause) ?? [];

describeWithEngine("on real servers", () => {
  describe.each(SLUGS)("%s", (slug) => {
    test("comes to the verdict and the cause that the catalogue expects", async () => {
      const { scenario, verdict } = await run(slug, {});
      const outcomes = Object.keys(scenario.expected).map((property) => [
        property,
        verdict.properties[property as Property]?.verdict,
      ]);
      expect(Object.fromEntries(outcomes)).toEqual(scenario.expected);
      expect(verdict.verdict).toBe("invalid");
      for (const property of PROPERTIES.filter((each) => scenario.expected[each] === "invalid"))
        expect(causes(verdict, property)).toContain(scenario.cause);
    });

    test("is valid without its faults", async () => {
      const { verdict } = await run(slug, { faults: false });
      expect(verdict).toMatchObject({ verdict: "valid", reasons: [] });
    });
  });

  test("pause-past-lease with fencing tokens: the late write is attempted, refused, and reported so", async () => {
    const { verdict, history } = await run("pause-past-lease", { lock: "fenced" });
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
