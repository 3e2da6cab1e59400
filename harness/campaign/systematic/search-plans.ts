import { Arbitrary, type Random, Stream, Value } from "fast-check";
import { smallerPlans } from "../../../workloads/deviations/smaller-plans.ts";
import type { Plan } from "../../core/plan.ts";

/** How many plans are drawn in search of one that is preferred. */
const MOST_DRAWN = 20;

/**
 * Plans drawn from a source, which shrink as the source shrinks them. A plan from elsewhere, which a search tries before
 * those that it draws, shrinks by itself.
 */
export class SearchPlans extends Arbitrary<Plan> {
  readonly #source: Arbitrary<Plan>;
  readonly #isPreferred: (plan: Plan) => boolean;

  /** @param isPreferred of the plans drawn for one position, the first with this property is taken, or else the last */
  constructor(source: Arbitrary<Plan>, isPreferred: (plan: Plan) => boolean = () => true) {
    super();
    this.#source = source;
    this.#isPreferred = isPreferred;
  }

  override generate(random: Random, bias: number | undefined): Value<Plan> {
    let drawn = this.#source.generate(random, bias);
    for (let others = 1; others < MOST_DRAWN && !this.#isPreferred(drawn.value); others += 1)
      drawn = this.#source.generate(random, bias);
    return drawn;
  }

  override canShrinkWithoutContext(value: unknown): value is Plan {
    return value !== undefined;
  }

  override shrink(plan: Plan, context: unknown): Stream<Value<Plan>> {
    if (context !== undefined) return this.#source.shrink(plan, context);
    return new Stream(smallerPlans(plan)[Symbol.iterator]()).map((smaller) => new Value(smaller, undefined));
  }
}
