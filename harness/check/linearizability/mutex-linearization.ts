import type { Configuration } from "./configuration.ts";
import type { Follower, Impossible } from "./follower.ts";
import { Linearization } from "./linearization.ts";
import type { LockModel, LockOperation } from "./lock-models.ts";
import { OwnerlessLinearization } from "./ownerless-linearization.ts";
import type { StepBudget } from "./step-budget.ts";

/**
 * Follows the linearizations of one key's operations on a lock without owners in two ways. `OwnerlessLinearization`
 * decides. But as long as the owners' own operations explain everything, a lock without owners does so too, and
 * following owners needs less search when many operations are under way.
 */
export class MutexLinearization implements Follower {
  #ownerless: OwnerlessLinearization | undefined;
  #byOwner: Linearization | undefined;

  constructor(model: LockModel, budget: StepBudget) {
    this.#ownerless = new OwnerlessLinearization(model, budget.half);
    this.#byOwner = new Linearization({ ...model, ownerAware: true }, budget);
  }

  get truncated(): boolean {
    return this.#ownerless === undefined;
  }

  get exhausted(): boolean {
    return this.#ownerless === undefined && (this.#byOwner === undefined || this.#byOwner.exhausted);
  }

  /** Operations of one owner value overlap in time: owners cannot be followed. */
  disregardOwners(): void {
    this.#byOwner = undefined;
  }

  announce(operation: LockOperation): void {
    this.#ownerless?.announce(operation);
    this.#byOwner?.announce(operation);
  }

  confirm(operation: LockOperation): void {
    this.#byOwner?.confirm(operation);
  }

  push(operation: LockOperation): Impossible | undefined {
    const byOwner = this.#byOwner?.push(operation);
    if (byOwner !== undefined) this.#byOwner = undefined;
    if (this.#ownerless === undefined) return byOwner;
    const impossible = this.#ownerless.push(operation);
    if (!this.#ownerless.truncated) return impossible;
    if (impossible === undefined && !this.#ownerless.exhausted) return undefined;
    this.#ownerless = undefined;
    return this.#byOwner === undefined ? impossible : undefined;
  }

  finish(): Configuration | undefined {
    if (this.#byOwner !== undefined && this.#byOwner.finish() === undefined) return undefined;
    return this.#ownerless?.finish();
  }
}
