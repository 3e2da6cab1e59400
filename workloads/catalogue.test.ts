import { describe, expect, test } from "vitest";
import { faults } from "../faults/registry.ts";
import { isEventTrigger, type Trigger } from "../harness/core/trigger.ts";
import { CAUSES, PROPERTIES } from "../harness/core/verdict.ts";
import type { Plan } from "../harness/core/plan.ts";
import { runPlan, type RunEnd } from "../harness/run/run-plan.ts";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { findLock } from "../lock-impl/registry.ts";
import { catalogue } from "./catalogue.ts";
import { planOf } from "./scenario.ts";

async function run(plan: Plan): Promise<{ readonly end: RunEnd; readonly atMs: number }> {
  const system = new FakeSystem({ topology: plan.topology.kind, clients: plan.clients.length });
  const { end } = await system.clock.settle(runPlan({ plan, system, faults }));
  return { end, atMs: system.clock.nowMs };
}

test("every scenario has a slug of its own", () => {
  const slugs = catalogue.map(({ slug }) => slug);
  expect(slugs.length).toBeGreaterThan(4);
  expect(new Set(slugs).size).toBe(slugs.length);
  for (const slug of slugs) expect(slug).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
});

describe.each(catalogue.map((scenario) => [scenario.slug, scenario] as const))("%s", (_, scenario) => {
  const plan = planOf(scenario, { seed: 5 });

  test("says what happens, who says so, and what is expected", () => {
    expect(scenario.title).toMatch(/^[^\n]{10,}[^\n.]$/);
    expect(scenario.summary.length).toBeGreaterThan(scenario.title.length);
    expect(scenario.source.link).toMatch(/^https:\/\//);
    expect(PROPERTIES).toEqual(expect.arrayContaining(Object.keys(scenario.expected)));
    expect(Object.keys(scenario.expected).length).toBeGreaterThan(0);
    const breaks = Object.values(scenario.expected).includes("invalid");
    expect(scenario.cause !== undefined).toBe(breaks);
    if (scenario.cause !== undefined) expect(CAUSES).toContain(scenario.cause);
  });

  test("is for a registered lock, on a topology on which it runs", () => {
    expect(findLock(plan.lock)?.topologies).toContain(plan.topology.kind);
  });

  test("has clients that hang on each other's operations only, and never for ever", () => {
    const waits = plan.clients
      .flatMap(({ sections }) => sections)
      .flatMap(({ after, steps }): (Trigger | undefined)[] => [
        after,
        ...steps.map((step) => (step.do === "await" ? step.until : undefined)),
      ])
      .filter((trigger) => trigger !== undefined);
    for (const trigger of waits.filter(isEventTrigger)) {
      expect(["fault:start", "fault:heal", "promotion"]).not.toContain(trigger.on);
      expect(trigger.client ?? 0).toBeLessThan(plan.clients.length);
    }
  });

  test("comes to its end, with its faults and without them", async () => {
    expect(plan.faults.length).toBeGreaterThan(0);
    expect((await run(plan)).end).toBe("completed");
    const control = planOf(scenario, { seed: 5, faults: false });
    expect(control.faults).toEqual([]);
    expect(control.clients).toEqual(plan.clients);
    const { end, atMs } = await run(control);
    expect(end).toBe("completed");
    expect(atMs).toBeLessThan(plan.limitMs);
  });

  test("can be had with another lock", () => {
    expect(planOf(scenario, { seed: 5, lock: "./mine.ts" })).toEqual({ ...plan, lock: "./mine.ts" });
    expect(plan).toMatchObject({ seed: 5, lock: scenario.plan.lock });
  });
});
