import { expect, test } from "vitest";
import type { History } from "../harness/history/history.ts";
import type { Cause, PropertyVerdict, Verdict } from "../harness/core/verdict.ts";
import { catalogue } from "./catalogue.ts";
import type { Scenario } from "./scenario.ts";
import { differences, foundOf, expectationWords } from "./scenario-outcome.ts";

const [base] = catalogue;
if (base === undefined) throw new Error("the catalogue is empty");

const scenario: Scenario = {
  ...base,
  expected: { "mutual-exclusion": ["overrun", "foreign-release"], "lease-exclusion": "valid" },
  shows: [{ event: "acquire:fail", client: 1 }],
  control: { by: "something", plan: { lock: "single" }, keeps: ["lost-updates"] },
};

const holds: PropertyVerdict = { verdict: "valid", violations: [] };
const broken = (...causes: readonly Cause[]): PropertyVerdict => ({
  verdict: "invalid",
  violations: causes.map((cause) => ({ events: [], cause, explanation: "" })),
});
const verdictOf = (properties: Verdict["properties"], reasons: readonly string[] = []): Verdict => ({
  verdict: "valid",
  required: [],
  properties,
  reasons,
  remarks: [],
});
const history: History = {
  header: { format: "lockstorm-history", version: 1, clients: 2 },
  // Process 3 is client 1 after an indeterminate operation.
  events: [{ index: 0, time: 0, process: 3, type: "fail", f: "acquire", key: "k1", value: { reason: "contended" } }],
};
const asExpected = verdictOf({
  "mutual-exclusion": broken("overrun", "foreign-release", "overrun"),
  "lease-exclusion": holds,
});

test("nothing differs when the verdict, its causes and the events are as expected", () => {
  expect(differences(scenario, "schedule", { verdict: asExpected, history })).toEqual([]);
});

test("a cause that is missing, and one too many, are differences", () => {
  const fewer = verdictOf({ ...asExpected.properties, "mutual-exclusion": broken("overrun") });
  expect(differences(scenario, "schedule", { verdict: fewer, history })).toEqual([
    "mutual-exclusion is overrun, not foreign-release and overrun",
  ]);
  const more = verdictOf({ ...asExpected.properties, "lease-exclusion": broken("double-grant") });
  expect(differences(scenario, "schedule", { verdict: more, history })).toEqual([
    "lease-exclusion is double-grant, not valid",
  ]);
});

test("what was not judged, is unknown or does not apply is not valid", () => {
  for (const [verdict, found] of [
    [undefined, "not checked"],
    [{ verdict: "unknown", violations: [] }, "unknown"],
    [{ verdict: "not-applicable", violations: [] }, "not-applicable"],
  ] as const) {
    const properties = { "mutual-exclusion": asExpected.properties["mutual-exclusion"] ?? holds };
    const judged = verdictOf(verdict === undefined ? properties : { ...properties, "lease-exclusion": verdict });
    expect(foundOf(judged, "lease-exclusion")).toBe(found);
    expect(differences(scenario, "schedule", { verdict: judged, history })).toEqual([
      `lease-exclusion is ${found}, not valid`,
    ]);
  }
});

test("a run that proved nothing is not as expected", () => {
  const doubtful = verdictOf(asExpected.properties, ["no lock was ever contended"]);
  expect(differences(scenario, "schedule", { verdict: doubtful, history })).toEqual(["no lock was ever contended"]);
});

test("an event that is missing from the schedule is a difference, one of another client does not count", () => {
  const shows = [{ event: "acquire:fail", client: 0 }];
  expect(differences({ ...scenario, shows }, "schedule", { verdict: asExpected, history })).toEqual([
    "there was no acquire:fail of client 0",
  ]);
});

test("the control has its own properties and events; without faults, the properties of the schedule hold", () => {
  const kept = verdictOf({ ...asExpected.properties, "lost-updates": holds });
  expect(differences({ ...scenario, shows: [] }, "control", { verdict: kept, history })).toEqual([]);
  const shows = [{ event: "write:fail", client: 0 }];
  const control = { by: "something", plan: {}, keeps: ["lost-updates"], shows } as const;
  expect(differences({ ...scenario, control }, "control", { verdict: kept, history })).toEqual([
    "there was no write:fail of client 0",
  ]);
  expect(differences(scenario, "no-faults", { verdict: kept, history })).toEqual([
    "mutual-exclusion is foreign-release and overrun, not valid",
  ]);
});

test("causes are named once each, in the order of the alphabet", () => {
  expect(expectationWords(["overrun", "clock-jump", "overrun"])).toBe("clock-jump and overrun");
  expect(expectationWords("valid")).toBe("valid");
});
