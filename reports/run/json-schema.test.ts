import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { renderJson, reportJsonSchema } from "./json.ts";
import { EXAMPLE_RUNS } from "../testdata/example-runs.ts";

// Another program reads the schema, not the library that wrote it.
const validate = new Ajv2020({ allErrors: true, strict: true, strictTypes: false }).compile(
  JSON.parse(reportJsonSchema()) as object,
);
const report = (): Record<string, unknown> =>
  JSON.parse(
    renderJson({
      title: "Hunt",
      runs: Object.values(EXAMPLE_RUNS).map((make) => make()),
      summary: {
        title: "Locks by faults",
        cells: [
          { lock: "a", fault: "none", expected: "holds", found: "holds", runs: 3 },
          { lock: "a", fault: "failover", found: "broken", run: 0, note: "double-grant" },
        ],
        missing: { cells: 2, reason: "the budget was used up" },
        changes: { new: [{ lock: "a", fault: "failover" }], known: [], fixed: [] },
      },
    }),
  ) as Record<string, unknown>;

test("the schema in the package is that of the reports (vitest -u writes it)", async () => {
  await expect(reportJsonSchema()).toMatchFileSnapshot("report.schema.json");
});

test("every report is valid against it", () => {
  validate(report());
  expect(validate.errors).toBeNull();
});

test("a field of the future passes, and a wrong one does not", () => {
  expect(validate({ ...report(), novelty: 1 })).toBe(true);
  for (const wrong of [
    { format: "x" },
    { version: 2 },
    { runs: [{}] },
    { summary: { cells: [{ lock: "a", fault: "none", found: "perhaps" }] } },
    { summary: { cells: [], missing: { cells: 0, reason: "" } } },
  ]) {
    expect(validate({ ...report(), ...wrong })).toBe(false);
  }
});
