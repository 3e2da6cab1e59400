import { Arbitrary, type Random, Stream, Value } from "fast-check";
import { smallerPlans } from "../../../workloads/deviations/smaller-plans.ts";
import type { Plan } from "../../core/plan.ts";

/** How many plans are drawn in search of one that is preferred. */
const MOST_DRAWN = 20;

/** Which plans a search would rather draw. */
interface Preference {
  /** Of the plans drawn for one position, the first with this property is taken, or else the last. */
  readonly isPreferred: (plan: Plan) => boolean;
  /** One in so many of the plans without it is taken all the same. Absent: none, unless nothing else is drawn. */
  readonly oneOtherIn?: number | undefined;
}

/**
 * Plans drawn from a source, which shrink as the source shrinks them. A plan from elsewhere, which a search tries before
 * those that it draws, shrinks by itself.
 */
export class SearchPlans extends Arbitrary<Plan> {
  readonly #source: Arbitrary<Plan>;
  readonly #preference: Preference;

  constructor(source: Arbitrary<Plan>, preference: Preference) {
    super();
    this.#source = source;
    this.#preference = preference;
  }

  override generate(random: Random, bias: number | undefined): Value<Plan> {
    const { isPreferred, oneOtherIn } = this.#preference;
    let drawn = this.#source.generate(random, bias);
    // Asked only where it matters, so that a search without a preference draws the same plans.
    if (isPreferred(drawn.value) || (oneOtherIn !== undefined && random.nextInt(1, oneOtherIn) === 1)) return drawn;
    for (let more = 1; more < MOST_DRAWN && !isPreferred(drawn.value); more += 1)
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
