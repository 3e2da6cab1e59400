import {
  contend,
  furthest,
  initialConfigurations,
  withoutDominated,
  withoutDominatedIfFresh,
  withoutCommon,
  type Configuration,
} from "./configuration.ts";
import { expirableFrom, type LockModel, type LockOperation } from "./lock-models.ts";
import { HoldChanges } from "./hold-changes.ts";
import { PendingOperations } from "./pending-operations.ts";
import { PossibleOperations } from "./possible-operations.ts";
import { completedEarly, maySpendTwice, settled, unexplainedEnd } from "./followed-configurations.ts";
import type { Follower, Impossible } from "./follower.ts";
import type { Standing } from "./shared-owner-linearization.ts";
import type { StepBudget } from "./step-budget.ts";

/** More configurations than this are not followed; a failure then decides nothing. */
const MAX_CONFIGURATIONS = 256;
const MAX_INSERTED = 4;
/**
 * Up to this number, all configurations that may matter are followed; beyond it, owner values are assumed to be fresh.
 */
const NARROW = 6;

/**
 * Follows the linearizations of one key's operations, each operation at its completion, in the order of completions.
 * When an operation is pushed, all operations that were invoked before its completion must have been announced, each
 * owner's in order; the more is announced and confirmed beyond that, the fewer configurations there are to follow.
 *
 * A successful acquire and its release enclose a core in which its owner held for certain; cores fix the order of
 * holds, so there is nearly always one configuration, and each operation costs the same. More arise only around
 * operations of unknown outcome, leases that may have expired, and acquires that took longer than their lease.
 *
 * It requires that operations of one owner value do not overlap in time (those of unknown outcome aside), and that
 * releases are by owner. Other histories go to other algorithms or to the general search.
 */
export class Linearization implements Follower {
  readonly #model: LockModel;
  readonly #budget: StepBudget;
  readonly #possible: PossibleOperations;
  readonly #pending = new PendingOperations();
  readonly #changes: HoldChanges;
  #configurations: Configuration[];
  #truncated = false;
  /** Whether it dropped configurations that matter only if an owner value is used for a second acquisition. */
  #assumedFresh = false;

  constructor(model: LockModel, budget: StepBudget) {
    this.#model = model;
    this.#budget = budget;
    this.#configurations = initialConfigurations(model);
    this.#possible = new PossibleOperations(budget);
    this.#changes = new HoldChanges(model, budget, this.#possible, this.#pending);
  }

  /** Whether configurations were dropped because there were too many: a failure then proves nothing. */
  get truncated(): boolean {
    return this.#truncated || this.#changes.truncated || this.#possible.incomplete || this.#budget.exhausted;
  }

  get exhausted(): boolean {
    return this.#budget.exhausted;
  }

  get maySpendTwice(): boolean {
    return maySpendTwice(this.#configurations, this.#possible);
  }

  /** How many configurations there are now. */
  get width(): number {
    return this.#configurations.length;
  }

  /** Whether the lock is certainly free, and no operation took effect that is not completed. */
  get isFree(): boolean {
    return this.#configurations.every(({ state, early }) => state.holder === undefined && early.length === 0);
  }

  /**
   * The configurations that explain the operations so far, for an algorithm that continues where operations of one
   * owner value overlap. Operations that were placed before their completion were placed on the assumption that they do
   * not overlap.
   */
  handOver(): Omit<Standing, "waiting"> {
    const assuming = this.#assumedFresh || this.#configurations.some(({ early }) => early.length > 0);
    const truncated = this.#truncated || this.#changes.truncated || assuming;
    return { configurations: this.#configurations, possible: this.#possible, truncated };
  }

  mayHold(owner: string): boolean {
    const holds = ({ state, early }: Configuration): boolean =>
      state.holder === owner || early.some((operation) => operation.owner === owner);
    return this.#possible.mayHaveChanged(owner) || this.#configurations.some(holds);
  }

  /** Announces an operation, once its outcome is known. */
  announce(operation: LockOperation): void {
    if (!operation.required) {
      this.#possible.add(operation);
      if (operation.kind !== "acquire" && operation.owner !== undefined) this.#pending.loosen(operation.owner);
      return;
    }
    const { owner, kind } = operation;
    if (owner === undefined) return;
    if (kind === "acquire") {
      this.#doubt(operation);
      this.#pending.addAcquire(operation, owner, this.#mayFloat(operation, owner));
    } else if (kind === "release" || kind === "extend") this.#pending.addChange(operation, owner);
  }

  /** Notes that no operation of its owner overlaps this one: everything that began before its completion is known. */
  confirm(operation: LockOperation): void {
    if (operation.owner !== undefined) this.#pending.confirm(operation, operation.owner);
  }

  /** Places the next completed operation. Returns what makes it impossible, if it is. */
  push(operation: LockOperation): Impossible | undefined {
    this.#pending.remove(operation);
    this.#pending.reach(operation.completed);
    if (operation.kind === "acquire") this.#doubt(operation);
    const before = this.#configurations;
    const after = this.#passed(
      before.flatMap((configuration) => this.#place(configuration, operation)),
      operation,
    );
    const kept = after.length > 1 ? withoutDominated(this.#changes.cut(after)) : after;
    this.#budget.spend(1);
    if (kept.length === 0) {
      // An operation of unknown outcome that may have taken over a hold that nobody was told of is not followed to its
      // end.
      if (this.#possible.hasStrangers) this.#truncated = true;
      return { operation, before: furthest(before) };
    }
    this.#configurations = this.#bounded(kept);
    return undefined;
  }

  /**
   * To be called after the last operation. Returns the configuration that got furthest, if somebody was seen to hold
   * and nobody can have held.
   */
  finish(): Configuration | undefined {
    return unexplainedEnd(this.#configurations, this.#possible);
  }

  /** The configurations after an operation was placed, without what can take effect in none of them from now on. */
  #passed(after: Configuration[], { completed }: LockOperation): Configuration[] {
    const passed = this.#possible.pass(completed, (owner, until) =>
      after.some(({ state, point }) => state.holder === owner && point.index < until),
    );
    if (passed.size === 0) return after;
    return after.map((configuration) => ({ ...configuration, used: withoutCommon(configuration.used, passed) }));
  }

  /** A configuration that was dropped may have left to this acquisition an operation that all others have used. */
  #doubt({ owner }: LockOperation): void {
    if (owner !== undefined && this.#assumedFresh && this.#possible.mayHaveChanged(owner)) this.#truncated = true;
  }

  /**
   * Only an acquire that took longer than its lease, or that was robbed of its hold, can be over before it is
   * completed.
   */
  #mayFloat(operation: LockOperation, owner: string): boolean {
    return (
      expirableFrom(operation, operation.invokedTime) <= operation.completedTime || this.#possible.mayChange(owner)
    );
  }

  /** As few configurations as possible, each without what is common to all. */
  #bounded(configurations: Configuration[]): Configuration[] {
    let kept = configurations;
    if (kept.length > NARROW) {
      kept = withoutDominatedIfFresh(kept);
      if (kept.length < configurations.length) this.#assumedFresh = true;
    }
    if (kept.length > MAX_CONFIGURATIONS) {
      this.#truncated = true;
      kept = kept.toSorted((left, right) => left.point.time - right.point.time).slice(0, MAX_CONFIGURATIONS / 2);
    }
    return settled(kept, this.#possible);
  }

  #place(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const completed = completedEarly(configuration, operation);
    if (completed !== undefined) return [completed];
    switch (operation.kind) {
      case "acquire":
        return this.#acquire(configuration, operation);
      case "release":
      case "lose":
      case "extend":
      case "reenter":
        return this.#useHold(configuration, operation);
      case "miss":
        return configuration.state.holder === operation.owner
          ? this.#changes.endings(configuration, operation)
          : [configuration];
      case "contended":
        return [contend(configuration, operation)];
    }
  }

  #acquire(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const reentered =
      configuration.state.holder === undefined ? undefined : this.#changes.enter(configuration, operation);
    const found = reentered === undefined ? [] : [reentered];
    for (const free of this.#changes.freeBefore(configuration, operation)) {
      for (const before of [free, ...this.#begunUnknown(free, operation)]) {
        const entered = this.#changes.enter(before, operation);
        if (entered !== undefined) found.push(entered);
      }
      for (const later of this.#afterInsertions(free, operation, MAX_INSERTED)) {
        const enteredLater = this.#changes.enter(later, operation);
        if (enteredLater !== undefined) found.push(enteredLater);
      }
    }
    return found;
  }

  /**
   * If somebody was seen to hold: its owner, by an acquire of unknown outcome, whose hold the next one enters again. If
   * nobody was seen, it may as well have entered again by the unknown one.
   */
  #begunUnknown(free: Configuration, { owner, completed }: LockOperation): readonly Configuration[] {
    if (free.owed === undefined || owner === undefined || this.#model.maxDepth === 1) return [];
    const acquires = this.#possible.changesBy(owner, free, completed).filter(({ kind }) => kind === "reenter");
    return acquires.flatMap((acquire) => this.#changes.enterPossibly(free, acquire) ?? []);
  }

  /** Places a release or an extension: of the present hold, or of one that nobody was told of. */
  #useHold(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const used = this.#changes.use(configuration, operation, operation.completed);
    const direct = used === undefined ? [] : [used, ...this.#afterShortening(configuration, operation)];
    if (!operation.stranger) return direct;
    const unknown = this.#changes.freeBefore(configuration, operation).flatMap((free) =>
      [free, ...this.#afterInsertions(free, operation, MAX_INSERTED - 1)].flatMap((base) =>
        this.#possible.acquires(base, operation.completed).flatMap((acquire) => {
          const held = this.#changes.enterPossibly(base, acquire);
          const after = held === undefined ? undefined : this.#changes.use(held, operation, operation.completed);
          return after === undefined ? [] : [after];
        }),
      ),
    );
    return [...direct, ...unknown];
  }

  /**
   * An inner release leaves the hold and its lease as they are. But once it is placed, an extension of unknown outcome
   * can no longer take effect before it and shorten the lease from then on. A re-entry of unknown outcome makes a
   * release an inner one.
   */
  #afterShortening(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const { holder, depth } = configuration.state;
    if (operation.kind !== "release" || typeof holder !== "string") return [];
    const shortened = this.#possible
      .changesBy(holder, configuration, operation.completed)
      .filter(({ kind }) => kind === "reenter" || (kind === "extend" && depth > 1))
      .flatMap((extension) => {
        const after = this.#changes.use(configuration, extension, operation.completed);
        return after === undefined ? [] : [this.#changes.withUsed(after, extension)];
      });
    return shortened.flatMap((before) => this.#changes.use(before, operation, operation.completed) ?? []);
  }

  /**
   * The free lock after other holds that fit before `next`: of acquires that are completed later, and, if something
   * requires them, of acquires of unknown outcome.
   */
  #afterInsertions(free: Configuration, next: LockOperation, limit: number): readonly Configuration[] {
    const found: Configuration[] = [];
    let frontier = [free];
    for (let inserted = 0; frontier.length > 0 && inserted < limit && !this.#budget.exhausted; inserted += 1) {
      const after = frontier.flatMap((base) =>
        this.#insertions(base, next)
          .flatMap((held) => this.#changes.endings(held, next))
          // A hold that nobody was seen to have, and of which no known operation is, may as well not have been.
          .filter(({ early }) => base.owed !== undefined || early.length > base.early.length),
      );
      frontier = withoutDominated(this.#changes.cut(after));
      found.push(...frontier);
      if (found.length > MAX_CONFIGURATIONS) {
        this.#truncated = true;
        return found;
      }
    }
    if (frontier.length > 0) this.#truncated = true;
    return found;
  }

  #insertions(base: Configuration, next: LockOperation): readonly Configuration[] {
    const found: Configuration[] = [];
    for (const acquire of this.#pending.floating) {
      this.#budget.spend(1);
      if (acquire === next || acquire.invoked >= next.completed || base.early.includes(acquire)) continue;
      if (!this.#changes.mayBeOverBefore(base.point.time, acquire, next)) continue;
      const held = this.#changes.enter(base, acquire);
      if (held !== undefined) found.push({ ...held, early: [...base.early, acquire] });
    }
    const strangers = this.#strangersPending(base, next);
    if (base.owed === undefined && !strangers) return found;
    for (const acquire of this.#possible.acquires(base, next.completed)) {
      if (!strangers && !this.#changes.mayBeOverBefore(base.point.time, acquire, next)) continue;
      const held = this.#changes.enterPossibly(base, acquire);
      if (held !== undefined) found.push(held);
    }
    return found;
  }

  /** Whether a pending release or extension may need a hold that nobody was told of. */
  #strangersPending(base: Configuration, next: LockOperation): boolean {
    for (const operation of this.#pending.changesByStrangers()) {
      if (operation.invoked < next.completed && operation !== next && !base.early.includes(operation)) return true;
    }
    return false;
  }
}
