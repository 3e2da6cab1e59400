import { expect, test } from "vitest";
import { renderJson, reportJsonSchema, reportSchema } from "./json.ts";
import { EXAMPLE_RUNS, lostInFailover } from "../testdata/example-runs.ts";

test.each(Object.entries(EXAMPLE_RUNS))(
  "%s is what the schema describes, and loses nothing of the verdict",
  (_, make) => {
    const run = make();
    const parsed = reportSchema.parse(JSON.parse(renderJson({ runs: [run] })));
    expect(parsed.runs[0]).toMatchObject({ ...run.verdict });
    expect(parsed.runs[0]?.events).toBe(run.history.events.length);
  },
);

test("faults come with their evidence, plan and command with the run", () => {
  const [run] = reportSchema.parse(JSON.parse(renderJson({ runs: [lostInFailover()] }))).runs;
  expect(run?.faults[1]).toEqual({
    kind: "kill-node",
    targets: ["node-0"],
    outcome: "installed",
    from: 180_900_000,
    to: 4_400_000_000,
    evidence: "pid 11 is gone, port 6379 refuses connections",
    healEvidence: "node-0 answers PING",
  });
  expect(run?.plan?.topology.kind).toBe("sentinel");
  expect(run?.replayCommand).toContain("npx lockstorm replay");
});

test("a campaign carries its cells", () => {
  const summary = { cells: [{ lock: "a", fault: "none", found: "holds", runs: 3 } as const] };
  expect(JSON.parse(renderJson({ title: "Hunt", runs: [], summary }))).toEqual({
    format: "lockstorm-report",
    version: 1,
    title: "Hunt",
    runs: [],
    summary,
  });
});

test("the schema refuses what is not a report", () => {
  const report: unknown = JSON.parse(renderJson({ runs: [lostInFailover()] }));
  for (const change of [{ format: "x" }, { version: 2 }, { runs: [{ title: "no verdict" }] }]) {
    expect(reportSchema.safeParse(Object.assign({}, report, change)).success).toBe(false);
  }
});

test("the published schema names what is required and lets unknown fields pass", () => {
  const schema: unknown = JSON.parse(reportJsonSchema());
  expect(schema).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    required: ["format", "version", "runs"],
    additionalProperties: {},
    properties: { runs: { items: { required: expect.arrayContaining(["verdict", "properties", "faults"]) } } },
  });
});
