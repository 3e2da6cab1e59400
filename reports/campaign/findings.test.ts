import { expect, test } from "vitest";
import { lostInFailover, pausedPastLease, takingTurns } from "../testdata/example-runs.ts";
import type { RunRecord } from "../run/run-record.ts";
import { renderCodeQuality } from "./code-quality.ts";
import { renderSarif } from "./sarif.ts";

function of(run: RunRecord, lock: string): RunRecord {
  return { ...run, ...(run.plan === undefined ? {} : { plan: { ...run.plan, lock } }) };
}

const own = of(lostInFailover(), "./locks/mine.ts");

test("a violation of a required property is a result at the user's driver; others, and valid runs, are none", () => {
  const sarif = JSON.parse(renderSarif({ runs: [own, pausedPastLease(), takingTurns()] })) as {
    readonly runs: readonly [{ readonly results: readonly object[]; readonly tool: object }];
  };
  const [{ results, tool }] = sarif.runs;
  expect(results).toMatchObject([
    {
      ruleId: "lost-in-failover",
      locations: [{ physicalLocation: { artifactLocation: { uri: "locks/mine.ts" }, region: { startLine: 1 } } }],
      message: {
        text: expect.stringMatching(/both held k1 for 476 ms: .* It breaks mutual-exclusion: .* Replay: npx/),
      },
    },
  ]);
  // GitHub's code scanning shows these three of a rule.
  const texts = { text: expect.stringMatching(/^[A-Z].*\.$/) };
  const rule = { id: "lost-in-failover", shortDescription: texts, fullDescription: texts, help: texts };
  expect(tool).toMatchObject({ driver: { rules: [rule] } });
  expect(JSON.stringify(tool)).toContain("`npx lockstorm explain lost-in-failover`");
});

test("code quality has the same, with a fingerprint that another run of the same finding shares", () => {
  const quality = (run: RunRecord): unknown => JSON.parse(renderCodeQuality({ runs: [run] }));
  expect(quality(own)).toMatchObject([
    { check_name: "lost-in-failover", severity: "critical", location: { path: "locks/mine.ts", lines: { begin: 1 } } },
  ]);
  const fingerprints = [
    own,
    { ...own, title: "another run" },
    of(own, "./locks/other.ts"),
    of(own, "../outside.ts"),
  ].map((run) => (quality(run) as readonly [{ fingerprint: string }])[0].fingerprint);
  expect(new Set(fingerprints).size).toBe(3);
  expect(quality(of(own, "../outside.ts"))).toMatchObject([{ location: { path: "package.json" } }]);
});
