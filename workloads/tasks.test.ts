import fc from "fast-check";
import { expect, test } from "vitest";
import { type Plan, tasksOf } from "../harness/core/plan.ts";
import type { Supports } from "../harness/core/sharing.ts";
import { topologySchema } from "../harness/core/topology.ts";
import { contentionPlans } from "./contention.ts";

function drawn(supports: Supports | undefined): readonly Plan[] {
  const topology = topologySchema.parse({ kind: "single" });
  return fc.sample(contentionPlans({ lock: "single", topology, faults: [], supports }), { seed: 1, numRuns: 200 });
}

function mostTasks({ clients }: Plan): number {
  return Math.max(...clients.map((client) => tasksOf(client).length));
}

test("drawn clients have several tasks only where the lock supports that, and not where waiters are served in turn", () => {
  for (const supports of [undefined, {}, { permits: true }, { concurrent: true, fair: true }])
    expect(drawn(supports).map(mostTasks)).toEqual(Array.from({ length: 200 }, () => 1));
  const counts = Map.groupBy(drawn({ concurrent: true }).map(mostTasks), (count) => count);
  expect(new Set(counts.keys())).toEqual(new Set([1, 2, 3]));
  expect(counts.get(2)?.length).toBeGreaterThan(20);
});

test("the same sections are drawn, whichever task does them", () => {
  for (const supports of [{ concurrent: true }, { concurrent: true, permits: true }])
    for (const { clients } of drawn(supports))
      for (const { sections } of clients) expect(tasksOf({ sections }).flat()).toHaveLength(sections.length);
});
