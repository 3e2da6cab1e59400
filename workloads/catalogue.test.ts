import { describe, expect, test } from "vitest";
import { isEventTrigger, type Trigger } from "../harness/core/trigger.ts";
import { CAUSES, PROPERTIES } from "../harness/core/verdict.ts";
import type { Plan } from "../harness/core/plan.ts";
import { faults } from "../faults/registry.ts";
import { readyFaults } from "../harness/run/nemesis.ts";
import { findLock } from "../lock-impl/registry.ts";
import { catalogue } from "./catalogue.ts";
import { planOf, requiredOf, variantsOf, whyNotOnContainers } from "./scenario.ts";

test("there are 43 scenarios, numbered in their order, each with a slug of its own", () => {
  expect(catalogue.map(({ number }) => number)).toEqual(Array.from({ length: 43 }, (_, index) => index + 1));
  const slugs = catalogue.map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(slugs.length);
  for (const slug of slugs) expect(slug).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
});

test("no two scenarios have the same summary, and those without a control or without faults are few", () => {
  expect(new Set(catalogue.map(({ summary }) => summary)).size).toBe(catalogue.length);
  const withoutControl = catalogue.filter(({ control }) => "none" in control).map(({ slug }) => slug);
  expect(withoutControl).toEqual(["pause-during-acquire"]);
  expect(catalogue.filter(({ plan }) => plan.faults.length === 0).map(({ slug }) => slug)).toEqual(["local-handoff"]);
});

test("the negative control and the same without the check differ in the lock alone", () => {
  const [control, flawed] = ["pause-during-acquire", "bad-elapsed-check"].map((slug) =>
    catalogue.find((scenario) => scenario.slug === slug),
  );
  expect({ ...flawed?.plan, lock: control?.plan.lock }).toEqual(control?.plan);
  expect(new Set(Object.values(control?.expected ?? {}))).toEqual(new Set(["valid"]));
});

/**
 * The events that the sections of a plan's clients wait for, and those that their holders wait for, for a limited time.
 */
function waits({ clients }: Plan): { readonly begin: readonly Trigger[]; readonly hold: readonly Trigger[] } {
  const sections = clients.flatMap((client) => client.sections);
  return {
    begin: sections.flatMap(({ after }) => (after === undefined ? [] : [after])),
    hold: sections.flatMap(({ steps }) => steps.flatMap((step) => (step.do === "await" ? [step.until] : []))),
  };
}

describe.each(catalogue.map((scenario) => [scenario.slug, scenario] as const))("%s", (_, scenario) => {
  test("says what happens, who says so, and what is expected", () => {
    const { title, says, summary, source, expected, shows = [] } = scenario;
    expect(title).toMatch(/^[^\n]{10,}[^\n.]$/);
    expect(says).toMatch(/^[^\n]{20,}\.$/);
    expect(summary).toMatch(/^[^\n]{200,900}\.$/);
    expect(source.link).toMatch(/^https?:\/\//);
    expect(PROPERTIES).toEqual(expect.arrayContaining(Object.keys(expected)));
    const outcomes = Object.values(expected).flat();
    expect(outcomes.length).toBeGreaterThan(0);
    expect(["valid", ...CAUSES]).toEqual(expect.arrayContaining(outcomes));
    // If nothing is violated, something else must show that the schedule took place.
    expect(outcomes.some((outcome) => outcome !== "valid") || shows.length > 0).toBe(true);
  });

  test.each(variantsOf(scenario))("is, as %s, for a registered lock, on a topology on which it runs", (variant) => {
    const plan = planOf(scenario, { seed: 5, variant });
    expect(findLock(plan.lock)?.topologies).toContain(plan.topology.kind);
    expect(readyFaults(plan.faults, faults)).toHaveLength(plan.faults.length);
    expect(requiredOf(scenario, variant).length).toBeGreaterThan(0);
  });

  test.each(variantsOf(scenario))(
    "has, as %s, clients that need no fault, and no release that reports its result, to go on",
    (variant) => {
      const plan = planOf(scenario, { seed: 5, variant });
      const { begin, hold } = waits(plan);
      for (const trigger of begin.filter(isEventTrigger)) {
        expect(["fault:start", "fault:heal", "promotion", "release:ok", "release:fail"]).not.toContain(trigger.on);
      }
      for (const trigger of [...begin, ...hold].filter(isEventTrigger)) {
        expect(trigger.client ?? 0).toBeLessThan(plan.clients.length);
      }
    },
  );

  test("has a control that differs from it, and keeps what it breaks", () => {
    const { control, expected } = scenario;
    const schedule = planOf(scenario, { seed: 5 });
    const immune = planOf(scenario, { seed: 5, variant: "control" });
    if ("none" in control) {
      expect(immune).toEqual(schedule);
      return;
    }
    expect(immune).not.toEqual(schedule);
    expect(control.by).toMatch(/^[^\n]{5,}[^\n.]$/);
    const broken = Object.entries(expected).flatMap(([property, outcome]) => (outcome === "valid" ? [] : [property]));
    if (broken.length > 0) expect(control.keeps.some((property) => broken.includes(property))).toBe(true);
  });

  test("can be had without its faults, and with another lock", () => {
    const plan = planOf(scenario, { seed: 5 });
    expect(planOf(scenario, { seed: 5, variant: "no-faults" })).toEqual({ ...plan, faults: [] });
    expect(planOf(scenario, { seed: 5, lock: "./mine.ts" })).toEqual({ ...plan, lock: "./mine.ts" });
    expect(plan).toMatchObject({ seed: 5, lock: scenario.plan.lock });
  });

  test("uses what only the simulation can do, and only then says so", () => {
    for (const variant of variantsOf(scenario)) {
      const plan = planOf(scenario, { seed: 5, variant });
      const kinds: readonly string[] = faults
        .filter(({ onlyInSimulation }) => onlyInSimulation === true)
        .map(({ kind }) => kind);
      const cannot = plan.faults.some(({ kind }) => kinds.includes(kind));
      if (cannot) expect(whyNotOnContainers(scenario, variant)).toMatch(/^containers /);
    }
    expect(whyNotOnContainers(scenario, "no-faults")).toBeUndefined();
  });
});
