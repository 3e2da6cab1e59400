/**
 * The steps that one history is given: about ten seconds of processor time at most. A usual operation takes one step or
 * two.
 */
export const MOST_STEPS = 100_000_000;

/**
 * A limit on the search for linearizations, counted in comparisons of configurations and operations, so that the same
 * history gets the same verdict on every machine.
 */
export class StepBudget {
  /** The number of steps at the beginning. */
  readonly steps: number;
  #spent = 0;
  #half: StepBudget | undefined;

  constructor(steps: number) {
    this.steps = steps;
  }

  /** The number of steps taken. */
  get spent(): number {
    return this.#spent;
  }

  get exhausted(): boolean {
    return this.#spent > this.steps;
  }

  get isHalfSpent(): boolean {
    return 2 * this.#spent > this.steps;
  }

  /** Half of the budget, for one of two algorithms: if it uses all of that half, the other half is left. */
  get half(): StepBudget {
    this.#half ??= new StepBudget(this.steps / 2);
    return this.#half;
  }

  spend(steps: number): void {
    this.#spent += steps;
  }
}
