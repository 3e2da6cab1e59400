import { Arbitrary, type Random, Stream, Value } from "fast-check";
import { smallerPlans } from "../../../workloads/deviations/smaller-plans.ts";
import type { Plan } from "../../core/plan.ts";

/**
 * Plans drawn from a source, which shrink as the source shrinks them. A plan from elsewhere, which a search tries before
 * those that it draws, shrinks by itself.
 */
export class SearchPlans extends Arbitrary<Plan> {
  readonly #source: Arbitrary<Plan>;

  constructor(source: Arbitrary<Plan>) {
    super();
    this.#source = source;
  }

  override generate(random: Random, bias: number | undefined): Value<Plan> {
    return this.#source.generate(random, bias);
  }

  override canShrinkWithoutContext(value: unknown): value is Plan {
    return value !== undefined;
  }

  override shrink(plan: Plan, context: unknown): Stream<Value<Plan>> {
    if (context !== undefined) return this.#source.shrink(plan, context);
    return new Stream(smallerPlans(plan)[Symbol.iterator]()).map((smaller) => new Value(smaller, undefined));
  }
}
