import type { Plan } from "../../core/plan.ts";
import type { Judged } from "../run-campaign.ts";
import { countRecurrences } from "./count-recurrences.ts";
import { withOtherSeeds } from "./variations.ts";

/** How often the violations of one plan after another come again with other seeds, while a plan is shrunk. */
export class ComparedRecurrences<Run extends Judged> {
  readonly #execute: (plan: Plan) => Promise<Run>;
  readonly #otherSeeds: number;
  /** With how many other seeds a violation came again, at most. */
  #most = 0;
  #runs = 0;

  /** @param otherSeeds with how many a plan is run; with none, nothing is compared */
  constructor(execute: (plan: Plan) => Promise<Run>, otherSeeds = 0) {
    this.#execute = execute;
    this.#otherSeeds = otherSeeds;
  }

  /** Runs with other seeds so far. */
  get runs(): number {
    return this.#runs;
  }

  /**
   * Whether the violation comes again with other seeds about as often as that of the plans before. One time less may be
   * chance; a plan that fails once in a while only is smaller, but shows little.
   */
  async lastsAsLong(run: Run): Promise<boolean> {
    if (this.#otherSeeds === 0) return true;
    const atLeast = this.#most - 1;
    const again = await countRecurrences(withOtherSeeds(run.plan, this.#otherSeeds), {
      run,
      atLeast,
      execute: (plan) => {
        this.#runs += 1;
        return this.#execute(plan);
      },
    });
    this.#most = Math.max(this.#most, again);
    return again >= atLeast;
  }
}
