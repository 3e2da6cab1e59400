import { expect, test } from "vitest";
import { planOf } from "../../../workloads/scenario.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import type { Plan } from "../../core/plan.ts";
import { remembering } from "./remembering.ts";

test("a plan is run once, as long as it is among the latest", async () => {
  const [scenario] = catalogue;
  const plans = [1, 2, 3].map((seed) => planOf(scenario ?? expect.unreachable(), { seed }));
  const ran: number[] = [];
  const run = remembering(async ({ seed }: Plan) => {
    ran.push(seed);
    return { seed };
  }, 2);
  const [one, two, three] = plans as [Plan, Plan, Plan];
  for (const plan of [one, two, one, three, one, two]) expect(await run(plan)).toEqual({ seed: plan.seed });
  expect(ran).toEqual([1, 2, 3, 2]);
});
