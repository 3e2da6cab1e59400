import { beforeAll, expect, test } from "vitest";
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { planSchema } from "../core/plan.ts";
import { PROPERTIES, type Verdict, type Violation } from "../core/verdict.ts";
import { catalogue } from "../../workloads/catalogue.ts";
import { planOf } from "../../workloads/scenario.ts";
import { withStoredProofs } from "./stored-proofs.ts";

let judged: Verdict;
let proven: Verdict;
/** As `verdict.json` has it. */
let stored: unknown;
beforeAll(async () => {
  const scenario = catalogue.find(({ slug }) => slug === "crash-no-persist");
  if (scenario === undefined) throw new Error("no such scenario");
  const run = await runSimulated(planOf(scenario, { seed: 1 }), { title: "", required: PROPERTIES });
  judged = run.record.verdict;
  proven = (await proveSimulated(run)).record.verdict;
  stored = JSON.parse(JSON.stringify(proven));
});

const standings = ({ properties }: Verdict): readonly (string | undefined)[] =>
  Object.values(properties).flatMap(({ violations }) => violations.map(({ proof }) => proof?.standing));

/** The stored verdict with the violations of each property changed. */
function storedWith(change: (violation: Violation) => unknown): unknown {
  const properties = Object.entries(proven.properties).map(([property, found]) => [
    property,
    { ...found, violations: found.violations.map(change) },
  ]);
  return { ...proven, properties: Object.fromEntries(properties) as unknown };
}

test("a run that is judged again has the proofs that it had when it was made", () => {
  expect(standings(judged)).toContain("probable");
  expect(withStoredProofs(judged, stored)).toEqual(proven);
});

test("the order of fields does not matter", () => {
  const turned = JSON.parse(JSON.stringify(stored), (_, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value,
  ) as unknown;
  expect(withStoredProofs(judged, turned)).toEqual(proven);
});

test("a proof of another finding, of other causes, or that cannot be read counts for nothing", () => {
  for (const change of [
    (violation: Violation) => ({ ...violation, finding: { account: "Something else.", events: [] } }),
    (violation: Violation) => ({ ...violation, hypotheses: violation.hypotheses?.slice(0, 1) }),
    (violation: Violation) => ({ ...violation, hypotheses: [] }),
    (violation: Violation) => ({ ...violation, cause: "eviction" }),
    (violation: Violation) => ({ ...violation, proof: { standing: "certain", by: "" } }),
    () => "nothing",
  ]) {
    expect(withStoredProofs(judged, storedWith(change))).toEqual(judged);
  }
  for (const nothing of [undefined, "", [], { properties: [] }, { properties: { "lease-exclusion": {} } }]) {
    expect(withStoredProofs(judged, nothing)).toEqual(judged);
  }
});

test("the sentences are written again from the proof, not copied", () => {
  const lied = storedWith((violation) => ({ ...violation, explanation: "All is well." }));
  expect(withStoredProofs(judged, lied)).toEqual(proven);
});

test("a cause that only the runs showed is taken over too", async () => {
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients: [
      { sections: [{ key: "k1", ttlMs: 5000, waitMs: 0, steps: [{ do: "hold", forMs: 900 }] }] },
      {
        sections: [{ key: "k1", ttlMs: 5000, waitMs: 0, after: { atMs: 300 }, steps: [{ do: "hold", forMs: 900 }] }],
      },
    ],
    faults: [
      { kind: "eviction", params: { targets: ["node-0"] }, at: { atMs: 100 } },
      { kind: "eviction", params: { targets: ["node-0"] }, at: { atMs: 200 } },
    ],
  });
  const run = await runSimulated(plan, { title: "", required: PROPERTIES });
  const { verdict } = (await proveSimulated(run)).record;
  const found = verdict.properties["lease-exclusion"]?.violations[0];
  expect(found?.explanation).toContain("led to it");
  expect(run.record.verdict.properties["lease-exclusion"]?.violations[0]?.hypotheses).not.toContainEqual(
    found?.hypotheses?.[0],
  );
  expect(withStoredProofs(run.record.verdict, JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
});
