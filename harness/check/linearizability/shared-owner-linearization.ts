import { contend, furthest, isBefore, pointAfter, withoutReplaceable, type Configuration } from "./configuration.ts";
import { InvocationQueue } from "./invocation-queue.ts";
import { completedEarly, expiredBefore, maySpendTwice, settled, unexplainedEnd } from "./followed-configurations.ts";
import type { Follower, Impossible } from "./follower.ts";
import { ANYBODY, apply, expirableFrom, type LockModel, type LockOperation } from "./lock-models.ts";
import { withUsed, type PossibleOperations } from "./possible-operations.ts";
import type { StepBudget } from "./step-budget.ts";

const MAX_CONFIGURATIONS = 256;
/** How many operations at most are tried between two completions. */
const MAX_INSERTED = 128;
/**
 * How many configurations are kept once half of the steps are spent: to go on trying everything would take too many. If one of these
 * few explains what follows, that is as good an explanation as any.
 */
const FEW_CONFIGURATIONS = 16;

/**
 * The point where another algorithm stopped: the configurations that explain the operations so far, and the operations
 * that may still take effect.
 */
export interface Standing {
  readonly configurations: readonly Configuration[];
  readonly possible: PossibleOperations;
  readonly truncated: boolean;
  /** Required operations that are known and not placed. */
  readonly waiting: readonly LockOperation[];
}

/**
 * Follows the linearizations of one key's operations where those of one owner value overlap in time: several clients,
 * or threads of one, share an owner value. The order of an owner's operations is then unknown, so before each
 * completion everything that is under way is tried (just-in-time linearization: Lowe 2017), except operations that
 * another one replaces: one of the same kind, owner value, lease and fencing token, invoked no later and completed no
 * later.
 */
export class SharedOwnerLinearization implements Follower {
  readonly #model: LockModel;
  readonly #budget: StepBudget;
  readonly #possible: PossibleOperations;
  readonly #future = new InvocationQueue();
  /** Required operations that were invoked and are not completed, in the order of invocation. */
  readonly #pending = new Set<LockOperation>();
  #configurations: readonly Configuration[];
  #truncated: boolean;

  constructor(model: LockModel, budget: StepBudget, { configurations, possible, truncated, waiting }: Standing) {
    this.#model = model;
    this.#budget = budget;
    this.#possible = possible;
    this.#configurations = configurations;
    this.#truncated = truncated;
    for (const operation of waiting) this.#future.add(operation);
  }

  get truncated(): boolean {
    return this.#truncated || this.#possible.incomplete || this.#budget.exhausted;
  }

  get exhausted(): boolean {
    return this.#budget.exhausted;
  }

  get maySpendTwice(): boolean {
    return maySpendTwice(this.#configurations, this.#possible);
  }

  announce(operation: LockOperation): void {
    if (operation.required) this.#future.add(operation);
    else this.#possible.add(operation);
  }

  /** Of no use when an owner's operations overlap. */
  confirm(): void {}

  push(operation: LockOperation): Impossible | undefined {
    for (const begun of this.#future.before(operation.completed)) this.#pending.add(begun);
    const before = this.#configurations;
    const after = before.flatMap((configuration) => this.#place(configuration, operation));
    const kept = withoutReplaceable(this.#cut(after));
    if (kept.length === 0) return { operation, before: furthest(before) };
    this.#pending.delete(operation);
    this.#configurations = settled(kept, this.#possible);
    return undefined;
  }

  finish(): Configuration | undefined {
    return unexplainedEnd(this.#configurations, this.#possible);
  }

  #cut(configurations: readonly Configuration[]): readonly Configuration[] {
    const compared = configurations.slice(0, this.#budget.isHalfSpent ? FEW_CONFIGURATIONS : MAX_CONFIGURATIONS);
    if (compared.length < configurations.length) this.#truncated = true;
    this.#budget.spend(1 + configurations.length + compared.length ** 2);
    return compared;
  }

  /** All ways in which `next` comes last, after other operations under way. */
  #place(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const completed = completedEarly(configuration, next);
    if (completed !== undefined) return [completed];
    if (next.kind === "contended") return [contend(configuration, next)];
    if (next.kind === "miss" && configuration.state.holder !== next.owner && !this.#binds(next, configuration)) {
      return [configuration];
    }
    const found: Configuration[] = [];
    let frontier: readonly Configuration[] = [configuration];
    for (let inserted = 0; frontier.length > 0 && !this.#budget.exhausted; inserted += 1) {
      for (const base of frontier) {
        const after = this.#after(base, next, next.completed);
        if (after !== undefined) found.push(after);
      }
      if (inserted === MAX_INSERTED || found.length > MAX_CONFIGURATIONS) {
        this.#truncated = true;
        break;
      }
      frontier = withoutReplaceable(this.#cut(frontier.flatMap((base) => this.#steps(base, next))));
    }
    return found;
  }

  /** Everything else that may happen before `next` takes effect, one operation at a time. */
  #steps(base: Configuration, next: LockOperation): readonly Configuration[] {
    const found: Configuration[] = [];
    const expired = expiredBefore(base, next);
    if (expired !== undefined) found.push(expired);
    for (const operation of this.#foremost(base, next)) {
      if (operation.kind === "acquire" && !this.#isOfUse(operation, base, next)) continue;
      const after = this.#after(base, operation, next.completed);
      if (after !== undefined) found.push({ ...after, early: [...after.early, operation] });
    }
    for (const operation of this.#possibleIn(base, next)) {
      this.#budget.spend(1 + base.used.size + base.usedAcquires.size);
      const after = this.#after(base, operation, next.completed);
      if (after !== undefined) found.push(withUsed(after, operation));
    }
    return found;
  }

  /**
   * Whether it matters that a miss came first: it does if an operation of the same owner that began before it may give
   * that owner a hold. All other operations may as well have come before the miss, so it makes no difference to them.
   */
  #binds({ owner, invoked }: LockOperation, base: Configuration): boolean {
    for (const other of this.#pending) {
      this.#budget.spend(1);
      // Operations come in the order of their invocations.
      if (other.invoked >= invoked) break;
      if (other.owner !== owner || (other.kind !== "acquire" && !other.stranger)) continue;
      if (!base.early.includes(other)) return true;
    }
    return owner !== undefined && this.#possible.changesBy(owner, base, invoked).some(({ stranger }) => stranger);
  }

  /** Whether the hold of an acquire can be over before `next`, or `next` may need it. */
  #isOfUse(acquire: LockOperation, base: Configuration, next: LockOperation): boolean {
    // After a miss that comes first, every operation begins later, so its lease lasts longer.
    if (next.kind === "miss") return true;
    if (base.state.holder !== undefined || next.owner === acquire.owner || base.owed !== undefined) return true;
    if (acquire.owner !== undefined && this.#possible.mayChange(acquire.owner)) return true;
    if (expirableFrom(acquire, Math.max(base.point.time, acquire.invokedTime)) <= next.completedTime) return true;
    for (const other of this.#pending) {
      this.#budget.spend(1);
      if (other !== acquire && other.owner === acquire.owner && other.kind !== "miss") return true;
    }
    return false;
  }

  #possibleIn(base: Configuration, next: LockOperation): readonly LockOperation[] {
    const { holder } = base.state;
    if (holder === ANYBODY) return this.#possible.changesByStrangers(base, next.completed);
    if (holder !== undefined) return this.#possible.changesBy(holder, base, next.completed);
    const begun =
      base.owed === undefined || next.owner === undefined
        ? []
        : this.#possible.changesBy(next.owner, base, next.completed);
    const reentries = begun.filter(({ kind }) => kind === "reenter");
    const isOfUse =
      next.kind === "miss" ||
      next.stranger ||
      this.#possible.hasStrangers ||
      base.owed !== undefined ||
      this.#strangerIsPending();
    return isOfUse ? [...this.#possible.acquires(base, next.completed), ...reentries] : [];
  }

  #strangerIsPending(): boolean {
    for (const { stranger } of this.#pending) {
      this.#budget.spend(1);
      if (stranger) return true;
    }
    return false;
  }

  /** The operations under way that no other can replace. */
  *#foremost({ early }: Configuration, next: LockOperation): Iterable<LockOperation> {
    const completed = new Map<string, number>();
    for (const operation of this.#pending) {
      this.#budget.spend(1);
      if (this.#budget.exhausted) return;
      // A contended try is settled when it is completed.
      if (operation === next || operation.kind === "contended" || early.includes(operation)) continue;
      const { kind, owner, stranger, leaseNs, validUntil, fence } = operation;
      const alike = `${kind} ${leaseNs} ${validUntil} ${fence} ${stranger} ${owner}`;
      if ((completed.get(alike) ?? Infinity) < operation.completed) continue;
      completed.set(alike, operation.completed);
      yield operation;
    }
  }

  /** The configuration after `operation` took effect, as early as it can. Until `stretch` a hold that it ends may have lasted. */
  #after(base: Configuration, operation: LockOperation, stretch: number): Configuration | undefined {
    const point = pointAfter(base.point, operation);
    const wasHeld = base.state.holder !== undefined;
    const begins = operation.kind === "acquire" || (operation.kind === "reenter" && !wasHeld);
    if (begins && !isBefore(point, base.owed)) return undefined;
    const state = apply(this.#model, base.state, operation, point.time);
    if (state === undefined) return undefined;
    if (operation.kind === "miss") return this.#binds(operation, base) ? { ...base, point } : base;
    if (state.holder === undefined) {
      return { ...base, state, grant: undefined, point, heldUntil: stretch, owed: undefined };
    }
    const grant = wasHeld ? base.grant : operation;
    return wasHeld && !begins
      ? { ...base, state, point }
      : { ...base, state, grant, point, heldUntil: -1, owed: undefined };
  }
}
