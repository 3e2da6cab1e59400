import type { Plan } from "../../core/plan.ts";

/** Plans in a fixed order, whose number is known before they are. A list of plans is one. */
export interface PlansInOrder extends Iterable<Plan> {
  readonly length: number;
  at(index: number): Plan | undefined;
}

/** Plans that are made when they are asked for, each once and in order. */
export class PlansOnDemand implements PlansInOrder {
  readonly length: number;
  readonly #source: Iterator<Plan>;
  readonly #made: Plan[] = [];

  /** @param length how many of the source's plans there are; no more of them are asked for */
  constructor(source: Iterable<Plan>, length: number) {
    this.length = length;
    this.#source = source[Symbol.iterator]();
  }

  at(index: number): Plan | undefined {
    while (this.#made.length <= index && this.#made.length < this.length) {
      const { done, value } = this.#source.next();
      if (done === true) throw new RangeError(`${this.#made.length} plans instead of ${this.length}`);
      this.#made.push(value);
    }
    return this.#made[index];
  }

  *[Symbol.iterator](): Generator<Plan> {
    for (let index = 0; index < this.length; index += 1) {
      const plan = this.at(index);
      if (plan !== undefined) yield plan;
    }
  }
}
