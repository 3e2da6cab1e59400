import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../workloads/catalogue.ts";
import { readWorkerFile } from "../../harness/external/worker-file.ts";
import { readPlan } from "../../harness/run/store.ts";
import { loadDriver } from "../../harness/client/load-driver.ts";
import { libraries } from "../../lock-impl/libraries/libraries.ts";
import { libraryWorkers } from "../../lock-impl/workers/workers.ts";
import { upstreamReports } from "./reports.ts";
import { type Outcomes, upstreamPage } from "./upstream-page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const outcomes = JSON.parse(readFileSync(join(root, "packaging/upstream/outcomes.json"), "utf8")) as Outcomes;

test("the page of the reports is up to date (npm run docs:upstream)", () => {
  expect(readFileSync(join(root, "docs/upstream-reports.md"), "utf8")).toBe(upstreamPage(upstreamReports, outcomes));
  expect(Object.keys(outcomes)).toEqual(upstreamReports.map(({ name }) => name));
});

describe.each(upstreamReports)("the report $name", ({ name, red, green, plan }) => {
  test("broke on the version that it names, and not on the mended one", () => {
    expect(outcomes[name]).toEqual({ red: "invalid", green: "valid" });
  });

  test.each([red, green])("has a worker or a driver for $version", async ({ lock }) => {
    if (lock.endsWith(".json")) expect(readWorkerFile(join(root, lock)).topologies).not.toEqual([]);
    else if (lock.endsWith(".ts")) expect(await loadDriver(join(root, lock))).toHaveProperty("connect");
    else expect([...libraryWorkers, ...libraries].map((known) => known.name)).toContain(lock);
  });

  test("has a plan", () => {
    if (existsSync(join(root, plan))) expect(readPlan(join(root, plan)).clients.length).toBeGreaterThan(1);
    else expect(catalogue.map(({ slug }) => slug)).toContain(plan);
  });
});
