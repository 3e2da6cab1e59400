import { describe, expect, test } from "vitest";
import { allCommands } from "../commands/registry.ts";
import { jsonCaller, validatorOf } from "../testing/json-output.ts";
import { OUTPUT_SCHEMAS, outputJsonSchema } from "./output-schemas.ts";

const commands = await allCommands();

const printed = jsonCaller();
const QUIET = "hunt --lock single --runs 3 --seed 1 --faults none --require mutual-exclusion --json";
const BROKEN = "hunt --lock get-del --runs 60 --seed 1 --store found --json";

test("every command with --json has a schema", () => {
  const withJson = commands.filter(({ flags }) => "json" in flags).map(({ name }) => name);
  expect(withJson.toSorted()).toEqual(
    Object.keys(OUTPUT_SCHEMAS)
      .filter((name) => name !== "advise")
      .toSorted(),
  );
});

test("the schema in the package is that of the commands (vitest -u writes it)", async () => {
  await expect(outputJsonSchema()).toMatchFileSnapshot("output.schema.json");
});

describe("what is printed is valid against the schema", () => {
  // The other commands take longer: output-schemas.long.test.ts.
  test.each([
    ["reproduce", "reproduce async-failover --json"],
    ["reproduce", "reproduce --list --json"],
    ["hunt", QUIET],
    ["hunt", BROKEN],
    ["merge", "merge found --json"],
    ["hunt", "hunt --ladder --lock single --faults none --topology single --runs 2 --store table --json"],
    ["merge", "merge table --json"],
    ["check", "check {run}/history.jsonl --json"],
    ["replay", "replay {run}/plan.json --json"],
    ["runs", "runs --json"],
    ["runs", "runs --lock nobody --older-than 1d --delete --json"],
    ["explain", "explain --json"],
    ["advise", "advise holds.txt --format json"],
  ])("%s: %s", { tags: "long" }, async (name, call) => {
    const validate = validatorOf(name);
    validate(await printed(call));
    expect(validate.errors).toBeNull();
  });
});

test(
  "a hunt names its lock, its faults, and why runs are unknown, with a counterexample and without",
  { tags: "long" },
  async () => {
    expect(await printed(QUIET)).toMatchObject({
      verdict: "valid",
      lock: "single",
      topology: "single",
      faults: [],
      runs: 3,
      notes: expect.any(Array) as unknown,
    });
    const found = await printed(BROKEN);
    expect(found).toMatchObject({
      verdict: "invalid",
      lock: "get-del",
      topology: "single",
      properties: expect.any(Object) as unknown,
      notes: expect.any(Array) as unknown,
      counterexample: {
        replay: expect.stringMatching(/^npx lockstorm replay found\/runs\/.*\/plan\.json$/) as unknown,
      },
    });
  },
);

test.each([
  ["hunt", { verdict: "valid" }],
  ["runs", [{ folder: 1 }]],
  ["explain", [{ kind: "nothing", word: "x", meaning: "y", details: [], see: [] }]],
])("%s: what is wrong is refused", (name, wrong) => {
  expect(validatorOf(name)(wrong)).toBe(false);
});
