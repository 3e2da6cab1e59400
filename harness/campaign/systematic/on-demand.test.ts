import { expect, test } from "vitest";
import { plan } from "../../run/testing/plans.ts";
import { PlansOnDemand } from "./on-demand.ts";

const plans = Array.from({ length: 6 }, (_, index) => plan({ limitMs: 100 + index }));

function counted(): { readonly source: Iterable<(typeof plans)[number]>; readonly made: () => number } {
  let made = 0;
  const source = plans.values().map((each) => {
    made += 1;
    return each;
  });
  return { source, made: () => made };
}

test("plans are made when they are asked for, and each once", () => {
  const { source, made } = counted();
  const some = new PlansOnDemand(source, 5);
  expect([some.length, made()]).toEqual([5, 0]);
  expect(some.at(2)).toBe(plans[2]);
  expect(made()).toBe(3);
  expect([some.at(0), some.at(2)]).toEqual([plans[0], plans[2]]);
  expect(made()).toBe(3);
  expect([...some]).toEqual(plans.slice(0, 5));
  expect([...some]).toEqual(plans.slice(0, 5));
  expect([some.at(5), made()]).toEqual([undefined, 5]);
});

test("a source that ends too early is an error", () => {
  expect(() => new PlansOnDemand(plans, 7).at(6)).toThrow("6 plans instead of 7");
});
