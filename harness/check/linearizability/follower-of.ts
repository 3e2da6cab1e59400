import type { Follower } from "./follower.ts";
import { Linearization } from "./linearization.ts";
import type { LockModel } from "./lock-models.ts";
import { MutexLinearization } from "./mutex-linearization.ts";
import { SharingLinearization } from "./sharing/sharing-linearization.ts";
import type { SharingModel } from "./sharing/sharing-model.ts";
import type { StepBudget } from "./step-budget.ts";

/** What follows the linearizations of one key's operations at first. */
export function followerOf(model: LockModel, sharing: SharingModel | undefined, budget: StepBudget): Follower {
  if (sharing !== undefined) return new SharingLinearization(model, sharing, budget);
  return model.ownerAware ? new Linearization(model, budget) : new MutexLinearization(model, budget);
}
