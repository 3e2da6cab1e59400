import { expect, test } from "vitest";
import { ownerFromLabels, RUN_LABEL, runLabels } from "./labels.ts";
import { thisProcess } from "./process-identity.ts";

test("labels name the run and the process that answers for it", () => {
  const labels = runLabels("r1");
  expect(labels[RUN_LABEL]).toBe("r1");
  expect(ownerFromLabels(labels)).toEqual(thisProcess());
});

test("labels that do not say who answers name nobody", () => {
  expect(ownerFromLabels({ [RUN_LABEL]: "r1" })).toBeUndefined();
  expect(ownerFromLabels({ ...runLabels("r1"), "lockstorm.pid": "seven" })).toBeUndefined();
});
