import { describe, expect, test } from "vitest";
import { runSimulated } from "../campaign/run-simulated.ts";
import { PLAN_SIZES, sizedPlan } from "./sized-plans.ts";

describe.each(["single", "sentinel", "redlock"] as const)("on %s", (kind) => {
  test.each(PLAN_SIZES)(
    "every section of a $name plan is granted and its fault hits",
    { tags: "long" },
    async (size) => {
      const { record } = await runSimulated(sizedPlan(kind, size, 1), {
        title: "test",
        required: ["mutual-exclusion", "lease-exclusion"],
      });
      const { events } = record.history;
      expect(events.filter(({ type, f }) => type === "ok" && f === "acquire")).toHaveLength(
        size.clients * size.sections,
      );
      expect(events.some((event) => event.type === "fault" && event.value.outcome === "installed")).toBe(true);
      expect(record.verdict.verdict).toBe("valid");
    },
  );
});
