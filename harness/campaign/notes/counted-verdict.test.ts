import { expect, test } from "vitest";
import type { History } from "../../history/history.ts";
import type { Outcome, Verdict } from "../../core/verdict.ts";
import { countedVerdict } from "./counted-verdict.ts";

const history = (...outcomes: string[]): History =>
  ({
    header: { format: "lockstorm-history", version: 1 },
    events: outcomes.map((outcome, index) => ({
      index,
      time: 0,
      process: "nemesis",
      type: "fault",
      value: { outcome },
    })),
  }) as unknown as History;
const unknown = (reasons: readonly string[], property: Outcome = "valid"): Verdict => ({
  verdict: "unknown",
  required: ["owner-release"],
  properties: { "owner-release": { verdict: property, violations: [] } },
  reasons,
  remarks: ["as before"],
});

test("a fault that never came is a remark where another took effect", () => {
  expect(countedVerdict(unknown(["skipped"]), history("installed", "skipped"))).toMatchObject({
    verdict: "valid",
    reasons: [],
    remarks: ["as before", "skipped"],
  });
});

test.each([
  ["no fault took effect", unknown(["skipped"]), history("skipped")],
  ["an effect was not seen", unknown(["skipped", "not seen"]), history("installed", "skipped", "indeterminate")],
  ["nobody contended", unknown(["skipped", "no contention"]), history("installed", "skipped")],
  ["a property is undecided", unknown(["skipped"], "unknown"), history("installed", "skipped")],
  ["there is another reason", unknown(["why"]), history("installed")],
])("it stays unknown where %s", (_, verdict, events) => {
  expect(countedVerdict(verdict, events)).toBe(verdict);
});

test("what is decided stays so", () => {
  const invalid: Verdict = { ...unknown(["skipped"]), verdict: "invalid" };
  expect(countedVerdict(invalid, history("installed", "skipped"))).toBe(invalid);
});
