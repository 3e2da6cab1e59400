import { describe, expect, test } from "vitest";
import { describeWithEngine } from "../containers/testing/engine-required.ts";
import { runScenario, testScenario } from "./testing/scenario-on-containers.ts";

describeWithEngine("on real servers", () => {
  describe("pause-past-lease", () => testScenario("pause-past-lease"));

  test("pause-past-lease with fencing tokens: the late write is attempted, refused, and reported so", async () => {
    const {
      record: { verdict, history },
    } = await runScenario("pause-past-lease", { lock: "fenced" });
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
