import type { LockModelName } from "../linearizability/lock-models.ts";
import type { StepBudget } from "../linearizability/step-budget.ts";

/** What `linearizability` is asked. */
export interface LinearizabilityOptions {
  /** The sequential specification. If absent, the most permissive one that knows owners and fencing tokens. */
  readonly model?: LockModelName;
  /** Whether a contended refusal proves that somebody held the lock. If not, a failed try proves nothing. */
  readonly observeContention?: boolean;
  /** The greatest number of steps for the whole history. Default: a hundred million. */
  readonly budget?: StepBudget;
}
