import type { Follower, Impossible } from "../follower.ts";
import type { LockModel, LockOperation } from "../lock-models.ts";
import type { StepBudget } from "../step-budget.ts";
import { CertainShares } from "./certain-shares.ts";
import { OwnersAlone } from "../owners-alone.ts";
import type { SharingModel } from "./sharing-model.ts";
import { Witness } from "./witness.ts";

/**
 * Follows the operations on a key that several owners may hold at a time. Two things are impossible for certain: what an
 * owner is told that no order of its own operations explains, and more holds at one instant than there is room for, of
 * which each is certain then. Both are found in one pass. An order that explains everything is looked for beside them.
 */
export class SharingLinearization implements Follower {
  readonly #budget: StepBudget;
  readonly #owners: OwnersAlone;
  readonly #certain: CertainShares;
  readonly #witness: Witness;

  constructor(model: LockModel, sharing: SharingModel, budget: StepBudget) {
    this.#budget = budget;
    this.#owners = new OwnersAlone(model, budget);
    this.#certain = new CertainShares(sharing);
    this.#witness = new Witness(sharing, budget.half);
  }

  get truncated(): boolean {
    return this.#budget.exhausted;
  }

  get exhausted(): boolean {
    return this.#budget.exhausted;
  }

  /** Whether no order is known that explains everything, although nothing is impossible for certain. */
  get isUndecided(): boolean {
    return this.#witness.isLost;
  }

  announce(operation: LockOperation): void {
    this.#owners.announce(operation);
    this.#certain.announce(operation);
    this.#witness.announce(operation);
  }

  confirm(operation: LockOperation): void {
    this.#owners.confirm(operation);
  }

  /** From now on operations of this owner may overlap in time. */
  allowOverlaps(owner: string): void {
    this.#owners.allowOverlaps(owner);
  }

  push(operation: LockOperation): Impossible | undefined {
    this.#budget.spend(1);
    const impossible = this.#owners.push(operation) ?? this.#certain.push(operation);
    if (impossible === undefined) this.#witness.push(operation);
    return impossible;
  }

  finish(): undefined {
    return undefined;
  }
}
