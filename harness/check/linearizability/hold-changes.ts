import { comparisonsOf, isBefore, pointAfter, withoutDominated, type Configuration } from "./configuration.ts";
import { expiredBefore } from "./followed-configurations.ts";
import { ANYBODY, apply, expirableFrom, type LockModel, type LockOperation } from "./lock-models.ts";
import type { PendingOperations } from "./pending-operations.ts";
import { withUsed, type PossibleOperations } from "./possible-operations.ts";
import type { StepBudget } from "./step-budget.ts";

/** More configurations than this are not compared with each other: the others are dropped. */
const MOST_COMPARED = 2048;

/** How the hold of one configuration begins, changes and ends: what `Linearization` tries before each completion. */
export class HoldChanges {
  readonly #model: LockModel;
  readonly #budget: StepBudget;
  readonly #possible: PossibleOperations;
  readonly #pending: PendingOperations;
  #truncated = false;

  constructor(model: LockModel, budget: StepBudget, possible: PossibleOperations, pending: PendingOperations) {
    this.#model = model;
    this.#budget = budget;
    this.#possible = possible;
    this.#pending = pending;
  }

  /** Whether configurations were dropped because there were too many. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** No more of them than can be compared with each other. */
  cut(configurations: readonly Configuration[]): readonly Configuration[] {
    const compared = configurations.slice(0, MOST_COMPARED);
    if (compared.length < configurations.length) this.#truncated = true;
    this.#budget.spend(configurations.length + comparisonsOf(compared));
    return compared;
  }

  /** The free lock before the completion of `operation`: as it is, or after its hold ended. */
  freeBefore(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    return configuration.state.holder === undefined ? [configuration] : this.endings(configuration, operation);
  }

  /** The hold begins (or the owner re-enters) as early as it can, if it can. */
  enter(configuration: Configuration, operation: LockOperation): Configuration | undefined {
    const point = pointAfter(configuration.point, operation);
    if (!isBefore(point, configuration.owed)) return undefined;
    const state = apply(this.#model, configuration.state, operation, point.time);
    if (state === undefined) return undefined;
    const grant = configuration.state.holder === undefined ? operation : configuration.grant;
    return { ...configuration, state, grant, point, heldUntil: -1, owed: undefined };
  }

  /** The same, by an acquire of unknown outcome. */
  enterPossibly(configuration: Configuration, acquire: LockOperation): Configuration | undefined {
    const held = this.enter(configuration, acquire);
    return held === undefined ? undefined : this.withUsed(held, acquire);
  }

  /** One more operation of unknown outcome has taken effect. */
  withUsed(configuration: Configuration, operation: LockOperation): Configuration {
    this.#budget.spend(2 * (configuration.used.size + configuration.usedAcquires.size));
    return withUsed(configuration, operation);
  }

  /** A release or an extension takes effect on the present hold. Until `stretch` the hold may have lasted. */
  use(configuration: Configuration, operation: LockOperation, stretch: number): Configuration | undefined {
    const point = pointAfter(configuration.point, operation);
    const state = apply(this.#model, configuration.state, operation, point.time);
    if (state === undefined) return undefined;
    if (state.holder !== undefined) return { ...configuration, state, point };
    return { ...configuration, state, grant: undefined, point, heldUntil: stretch, owed: undefined };
  }

  /** The ways in which the present hold may have ended before the completion of `next`, without those that another replaces. */
  endings(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const ended: Configuration[] = [];
    let frontier: readonly Configuration[] = [configuration];
    while (frontier.length > 0 && !this.#budget.exhausted) {
      const lasting: Configuration[] = [];
      for (const held of frontier.flatMap((base) => this.#possiblyChanged(base, next))) {
        this.#budget.spend(1);
        const expired = expiredBefore(held, next);
        if (expired !== undefined) ended.push(expired);
        const changed = held.state.holder === undefined ? [held] : this.#ownChanges(held, next);
        for (const after of changed) (after.state.holder === undefined ? ended : lasting).push(after);
      }
      frontier = this.#distinct(lasting);
    }
    return this.#distinct(ended);
  }

  #distinct(configurations: readonly Configuration[]): readonly Configuration[] {
    return configurations.length > 1 ? withoutDominated(this.cut(configurations)) : configurations;
  }

  /**
   * The present hold as it is, and after operations of unknown outcome by its holder before its next known one. Of those that
   * set the lease only the last matters, and an entry that a release then leaves does not: one that sets it, or releases alone.
   */
  #possiblyChanged(base: Configuration, next: LockOperation): readonly Configuration[] {
    const { holder } = base.state;
    if (typeof holder !== "string" || !this.#possible.mayChange(holder)) return [base];
    const found = [base, ...this.#afterEach(base, next, ({ kind }) => kind === "extend" || kind === "reenter")];
    // Fewer releases than it takes leave the hold, and its lease, as they are.
    let left: readonly Configuration[] = this.#possible.mayLeave(base) ? [base] : [];
    while (left.length > 0 && !this.#budget.exhausted) {
      const after = left.flatMap((held) =>
        this.#afterEach(held, next, ({ kind }) => kind === "release" || kind === "lose"),
      );
      left = this.#distinct(after);
      found.push(...left);
    }
    return found;
  }

  /** After one operation of unknown outcome by the holder, each of those that are like this. */
  #afterEach(
    base: Configuration,
    next: LockOperation,
    isLike: (operation: LockOperation) => boolean,
  ): readonly Configuration[] {
    const { holder } = base.state;
    if (holder === undefined) return [];
    const possible =
      holder === ANYBODY
        ? this.#possible.changesByStrangers(base, next.completed)
        : this.#possible.changesBy(holder, base, next.completed);
    return possible.filter(isLike).flatMap((operation) => {
      const after = this.use(base, operation, next.completed);
      return after === undefined ? [] : [this.withUsed(after, operation)];
    });
  }

  /**
   * Operations by the holder itself on its hold that may come before the completion of `next` and are not placed yet: if
   * nobody knows the holder, also those of unknown outcome.
   */
  #ownChanges(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const { holder } = configuration.state;
    if (holder === undefined) return [];
    const changed: Configuration[] = [];
    const pending = holder === ANYBODY ? this.#pending.changesByStrangers() : this.#pending.changesBy(holder);
    for (const operation of pending) {
      this.#budget.spend(1);
      // The operations of one owner come one after another.
      if (operation.invoked >= next.completed && holder !== ANYBODY) break;
      if (operation.invoked >= next.completed || operation === next || configuration.early.includes(operation))
        continue;
      const after = this.use(configuration, operation, next.completed);
      if (after !== undefined) changed.push({ ...after, early: [...configuration.early, operation] });
    }
    if (holder === ANYBODY) changed.push(...this.#afterEach(configuration, next, () => true));
    return this.#model.maxDepth === 1 ? changed : [...changed, ...this.#earlyReentries(configuration, next)];
  }

  #earlyReentries(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const found: Configuration[] = [];
    for (const operation of this.#pending.floating) {
      this.#budget.spend(1);
      if (operation === next || operation.invoked >= next.completed || configuration.early.includes(operation))
        continue;
      if (operation.owner !== configuration.state.holder) continue;
      if (!this.mayBeOverBefore(configuration.point.time, operation, next)) continue;
      const entered = this.enter(configuration, operation);
      if (entered !== undefined) found.push({ ...entered, early: [...configuration.early, operation] });
    }
    return found;
  }

  /** Whether a hold of `acquire` may have begun and ended between `time` and the completion of `next`. */
  mayBeOverBefore(time: number, acquire: LockOperation, next: LockOperation): boolean {
    if (acquire.owner === undefined ? this.#possible.hasStrangers : this.#possible.mayChange(acquire.owner))
      return true;
    return expirableFrom(acquire, Math.max(time, acquire.invokedTime)) <= next.completedTime;
  }
}
