import { expect, test } from "vitest";
import { planOf } from "../../../workloads/scenario.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import type { Plan } from "../../core/plan.ts";
import { remembering } from "./learn.ts";
import type { Lesson } from "./systematic-plans.ts";

test("a lesson is learned once, as long as it is among the latest", async () => {
  const [scenario] = catalogue;
  const plans = [1, 2, 3].map((seed) => planOf(scenario ?? expect.unreachable(), { seed }));
  const learned: number[] = [];
  const learn = remembering(async ({ seed }: Plan) => {
    learned.push(seed);
    return { seed } as unknown as Lesson;
  }, 2);
  const [one, two, three] = plans as [Plan, Plan, Plan];
  for (const plan of [one, two, one, three, one, two]) expect(await learn(plan)).toEqual({ seed: plan.seed });
  expect(learned).toEqual([1, 2, 3, 2]);
});
