import { expect, test } from "vitest";
import { PLAN_BOUNDS } from "../../harness/core/plan-bounds.ts";
import { planSchema, type Plan } from "../../harness/core/plan.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { sideBySide } from "./side-by-side.ts";
import { smallerPlans } from "./smaller-plans.ts";
import { smallWorkloads } from "./workloads.ts";

const plans = smallWorkloads(
  { lock: "single", topology: topologySchema.parse({ kind: "single" }), fencing: true, seed: 1, outlives: true },
  // As many workloads as fit into one plan.
  { extends: false, reenters: false },
).map(({ plan }) => plan);

test("workloads side by side share neither a key nor a client", () => {
  const [all, ...others] = sideBySide(plans);
  expect(others).toEqual([]);
  expect(planSchema.parse(all)).toEqual(all);
  expect(all?.clients).toHaveLength(plans.flatMap(({ clients }) => clients).length);
  const keysOf = ({ clients }: Plan): ReadonlySet<string> =>
    new Set(clients.flatMap(({ sections }) => sections.map(({ key }) => key)));
  let first = 0;
  const keys = plans.map(({ clients }) =>
    keysOf({ ...all!, clients: all!.clients.slice(first, (first += clients.length)) }),
  );
  expect(keys.map(({ size }) => size)).toEqual(plans.map((plan) => keysOf(plan).size));
  expect(new Set(keys.flatMap((each) => [...each])).size).toBe(keys.reduce((sum, { size }) => sum + size, 0));
});

test("more clients than a plan may have are shared out", () => {
  const many = sideBySide(Array.from({ length: 6 }, () => plans).flat());
  expect(many.length).toBeGreaterThan(1);
  expect(many.every(({ clients }) => clients.length <= PLAN_BOUNDS.clients)).toBe(true);
  expect(many.flatMap(({ clients }) => clients)).toHaveLength(6 * plans.flatMap(({ clients }) => clients).length);
});

test("what one workload does is a smaller plan, the workload itself", () => {
  const [all] = sideBySide(plans);
  if (all === undefined) throw new Error("there is no plan");
  const smaller = smallerPlans(all).take(plans.length).toArray();
  const text = JSON.stringify(smaller)
    .replaceAll(/"k\d+"/g, '"k1"')
    .replaceAll(/"k\d+-2"/g, '"k2"');
  expect(JSON.parse(text)).toEqual(plans);
});
