// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { libraryWorkers } from "../../../lock-impl/workers/workers.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import { describeWithEngine } from "../../containers/testing/engine-required.ts";
import { TOOLCHAINS } from "../../external/languages/registry.ts";
import { reproduce } from "./reproduce.ts";

describeWithEngine("on real servers, a library of another language", () => {
  let store: string;

  beforeAll(async () => {
    store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
    for (const language of new Set(libraryWorkers.map(({ language }) => language))) {
      await TOOLCHAINS[language].prepare(() => {});
    }
  });

  afterAll(() => rmSync(store, { recursive: true }));

  // A lease that is renewed ends when the master dies: nothing that is in force is lost. RFencedLock leaves the key of a grant
  // behind that no replica confirmed, so whether the rival is granted the lock in time depends on when it asks.
  const loses = libraryWorkers.filter(
    ({ name, claims, renews }) =>
      renews !== true &&
      name !== "redisson-fenced" &&
      claims.some(({ topology, property }) => topology === "sentinel" && property === "lease-exclusion"),
  );
  // Each has servers of its own, and mostly waits.
  test.concurrent.each(loses)(
    "$name loses its lock in a failover, and in nothing else",
    async ({ name: lock, asksReplicas }) => {
      const losing = asksReplicas === true ? "acknowledged-failover" : "async-failover";
      const scenario = catalogue.find(({ slug }) => slug === losing);
      if (scenario === undefined) throw new Error("the catalogue has lost a scenario");
      const broken = await reproduce(scenario, { backend: "containers", lock }, { store });
      expect(broken.record.verdict.properties["lease-exclusion"]).toMatchObject({
        verdict: "invalid",
        violations: [{ cause: "lost-in-failover" }],
      });
      const calm = await reproduce(scenario, { backend: "containers", lock, variant: "no-faults" }, { store });
      expect(calm.record.verdict.properties["lease-exclusion"]?.verdict).toBe("valid");
    },
  );
});
