// @module-tag long
import { expect, test } from "vitest";
import { jsonCaller, validatorOf } from "../testing/json-output.ts";

const printed = jsonCaller();

test.each([
  ["explore", "explore --lock get-del --faults pause-client --deviations 1 --json"],
  ["merge", "merge .lockstorm --json"],
  ["conform", "conform single --json"],
  ["doctor", "doctor --json"],
  ["debate", "debate --only pause --runs 1 --json"],
  ["headline", "headline --lock single --resource nothing --minutes 1 --json"],
  ["reproduce", "reproduce --all --json"],
])("what is printed is valid against the schema: %s: %s", async (name, call) => {
  const validate = validatorOf(name);
  validate(await printed(call));
  expect(validate.errors).toBeNull();
});
