import {
  commonCounts,
  initialConfiguration,
  isBefore,
  pointAfter,
  withoutCommon,
  withoutDominated,
  withoutDominatedIfFresh,
  type Configuration,
  type Point,
} from "./configuration.ts";
import { ANYBODY, apply, expire, FREE, type LockModel, type LockOperation } from "./lock-models.ts";
import { PendingOperations } from "./pending-operations.ts";
import { PossibleOperations, withUsed } from "./possible-operations.ts";

/** More ways than this to explain a history are not followed; what then fails is not decided. */
const MAX_CONFIGURATIONS = 256;
const MAX_INSERTED = 4;
/** Up to so many configurations, all are followed that may matter; beyond, owner values are taken to be fresh. */
const NARROW = 6;

export interface Impossible {
  /** The operation that no configuration allows. */
  readonly operation: LockOperation;
  /** The configuration before it that came furthest. */
  readonly before: Configuration;
}

/**
 * Follows the linearizations of one key's operations, each operation at its completion, in the order of completions.
 * When an operation is pushed, all operations that were invoked before its completion must have been announced, each
 * owner's in order; the more is announced beyond that, the fewer ways there are to follow.
 *
 * A successful acquire and its release enclose a core in which its owner held for certain; cores fix the order of holds,
 * so that nearly always there is one configuration, and each operation costs the same. More arise only around operations
 * of unknown outcome, leases that may have expired, and acquires that took longer than their lease.
 *
 * It relies on the operations of one owner value not overlapping in time (those of unknown outcome aside), and on
 * releases being by owner: for all else there is the general search.
 */
export class Linearization {
  readonly #model: LockModel;
  readonly #possible = new PossibleOperations();
  readonly #pending = new PendingOperations();
  #configurations: Configuration[] = [initialConfiguration(FREE)];
  #truncated = false;
  /** Whether configurations were dropped that matter only if an owner value is used for a second acquisition. */
  #assumedFresh = false;

  constructor(model: LockModel) {
    this.#model = model;
  }

  /** Whether configurations were given up for their number: a failure then proves nothing. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** How many configurations there are now. */
  get width(): number {
    return this.#configurations.length;
  }

  /** Makes an operation known, once its outcome is. */
  announce(operation: LockOperation): void {
    if (!operation.required) {
      this.#possible.add(operation);
      if (operation.kind !== "acquire" && operation.owner !== undefined) this.#pending.loosen(operation.owner);
      return;
    }
    const { owner, kind } = operation;
    if (owner === undefined) return;
    if (kind === "acquire") {
      if (this.#assumedFresh && this.#possible.mayChange(owner)) this.#truncated = true;
      this.#pending.addAcquire(operation, owner, this.#mayFloat(operation, owner));
    } else if (kind === "release" || kind === "extend") this.#pending.addChange(operation, owner);
  }

  /** Places the next completed operation. Returns what makes it impossible, if it is. */
  push(operation: LockOperation): Impossible | undefined {
    this.#pending.remove(operation);
    const before = this.#configurations;
    const after: Configuration[] =
      before.length === 1
        ? [...this.#place(before[0]!, operation)]
        : before.flatMap((configuration) => this.#place(configuration, operation));
    const kept = after.length > 1 ? withoutDominated(after) : after;
    if (kept.length === 0) return { operation, before: furthest(before) };
    this.#configurations = this.#bounded(kept);
    return undefined;
  }

  /**
   * To be called after the last operation. Returns the configuration that came furthest when somebody was seen to hold
   * and nobody can have held.
   */
  finish(): Configuration | undefined {
    const explains = ({ state, owed }: Configuration): boolean => state.holder !== undefined || owed === undefined;
    if (this.#configurations.some(explains)) return undefined;
    const settled = this.#configurations.some((configuration) =>
      this.#possible
        .acquires(configuration, Infinity)
        .some((acquire) => isBefore(pointAfter(configuration.point, acquire), configuration.owed)),
    );
    return settled ? undefined : furthest(this.#configurations);
  }

  /** Only an acquire that took longer than its lease can be over before it is completed, or one robbed of its hold. */
  #mayFloat({ completedTime, invokedTime, leaseNs }: LockOperation, owner: string): boolean {
    return completedTime - invokedTime >= leaseNs || this.#possible.mayChange(owner);
  }

  /** As few configurations as may be, each without what is common to all. */
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
    return this.#settled(kept);
  }

  #settled(configurations: Configuration[]): Configuration[] {
    const acquires = commonCounts(configurations.map(({ usedAcquires }) => usedAcquires));
    const others = commonCounts(configurations.map(({ used }) => used));
    if (acquires.size === 0 && others.size === 0) return configurations;
    this.#possible.settle(acquires);
    this.#possible.settle(others);
    return configurations.map((configuration) => ({
      ...configuration,
      usedAcquires: withoutCommon(configuration.usedAcquires, acquires),
      used: withoutCommon(configuration.used, others),
    }));
  }

  #place(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    if (configuration.early.includes(operation)) {
      return [{ ...configuration, early: configuration.early.filter((other) => other !== operation) }];
    }
    switch (operation.kind) {
      case "acquire":
        return this.#acquire(configuration, operation);
      case "release":
      case "extend":
        return this.#useHold(configuration, operation);
      case "miss":
        return configuration.state.holder === operation.owner
          ? this.#endings(configuration, operation)
          : [configuration];
      case "contended":
        return [contend(configuration, operation)];
    }
  }

  #acquire(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const reentered = configuration.state.holder === undefined ? undefined : this.#enter(configuration, operation);
    const found = reentered === undefined ? [] : [reentered];
    for (const free of this.#freeBefore(configuration, operation)) {
      const entered = this.#enter(free, operation);
      if (entered !== undefined) found.push(entered);
      for (const later of this.#afterInsertions(free, operation, MAX_INSERTED)) {
        const enteredLater = this.#enter(later, operation);
        if (enteredLater !== undefined) found.push(enteredLater);
      }
    }
    return found;
  }

  /** A release or an extension: of the present hold, or of one that nobody was told of. */
  #useHold(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const used = this.#use(configuration, operation, operation.completed);
    if (used !== undefined) return [used, ...this.#afterShortening(configuration, operation)];
    if (!operation.stranger) return [];
    return this.#freeBefore(configuration, operation).flatMap((free) =>
      [free, ...this.#afterInsertions(free, operation, MAX_INSERTED - 1)].flatMap((base) =>
        this.#possible.acquires(base, operation.completed).flatMap((acquire) => {
          const held = this.#enterPossibly(base, acquire);
          const after = held === undefined ? undefined : this.#use(held, operation, operation.completed);
          return after === undefined ? [] : [after];
        }),
      ),
    );
  }

  /**
   * An inner release leaves the hold and its lease as they are, but after it an extension of unknown outcome can no
   * longer have taken effect before it, and shortened the lease from then on.
   */
  #afterShortening(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const { holder, depth } = configuration.state;
    if (operation.kind !== "release" || depth < 2 || typeof holder !== "string") return [];
    const shortened = this.#possible
      .changesBy(holder, configuration, operation.completed)
      .filter(({ kind }) => kind === "extend")
      .flatMap((extension) => {
        const after = this.#use(configuration, extension, operation.completed);
        return after === undefined ? [] : [withUsed(after, extension)];
      });
    return shortened.flatMap((before) => this.#use(before, operation, operation.completed) ?? []);
  }

  #freeBefore(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    return configuration.state.holder === undefined ? [configuration] : this.#endings(configuration, operation);
  }

  /** The hold begins (or the owner re-enters) as early as it can, if it can. */
  #enter(configuration: Configuration, operation: LockOperation): Configuration | undefined {
    const point = pointAfter(configuration.point, operation);
    if (!isBefore(point, configuration.owed)) return undefined;
    const state = apply(this.#model, configuration.state, operation, point.time);
    if (state === undefined) return undefined;
    const grant = configuration.state.holder === undefined ? operation : configuration.grant;
    return { ...configuration, state, grant, point, heldUntil: -1, owed: undefined };
  }

  #enterPossibly(configuration: Configuration, acquire: LockOperation): Configuration | undefined {
    const held = this.#enter(configuration, acquire);
    return held === undefined ? undefined : withUsed(held, acquire);
  }

  /** A release or an extension takes effect on the present hold. Until `stretch` the hold may have lasted. */
  #use(configuration: Configuration, operation: LockOperation, stretch: number): Configuration | undefined {
    const point = pointAfter(configuration.point, operation);
    const state = apply(this.#model, configuration.state, operation, point.time);
    if (state === undefined) return undefined;
    if (state.holder !== undefined) return { ...configuration, state, point };
    return { ...configuration, state, grant: undefined, point, heldUntil: stretch, owed: undefined };
  }

  /** All ways in which the present hold may have ended before the completion of `next`. */
  #endings(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const ended: Configuration[] = [];
    const time = Math.max(configuration.point.time, configuration.state.expirableFrom);
    const expired = time <= next.completedTime ? expire(configuration.state, time) : undefined;
    if (expired !== undefined) {
      const point: Point = { index: configuration.point.index, time };
      ended.push({ ...configuration, state: expired, grant: undefined, point, heldUntil: next.completed });
    }
    for (const changed of this.#ownChanges(configuration, next)) {
      if (changed.state.holder === undefined) ended.push(changed);
      else ended.push(...this.#endings(changed, next));
    }
    return ended;
  }

  /** What the holder itself may have done to its hold before the completion of `next`, and is not placed yet. */
  #ownChanges(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const { holder } = configuration.state;
    if (holder === undefined) return [];
    const changed: Configuration[] = [];
    for (const operation of holder === ANYBODY ? this.#pending.changesByStrangers() : this.#pending.changesBy(holder)) {
      if (operation.invoked >= next.completed || operation === next || configuration.early.includes(operation))
        continue;
      const after = this.#use(configuration, operation, next.completed);
      if (after !== undefined) changed.push({ ...after, early: [...configuration.early, operation] });
    }
    const possible =
      holder === ANYBODY
        ? this.#possible.changesByStrangers(configuration, next.completed)
        : this.#possible.changesBy(holder, configuration, next.completed);
    for (const operation of possible) {
      const after = this.#use(configuration, operation, next.completed);
      if (after !== undefined) changed.push(withUsed(after, operation));
    }
    return this.#model.maxDepth === 1 ? changed : [...changed, ...this.#earlyReentries(configuration, next)];
  }

  #earlyReentries(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const found: Configuration[] = [];
    for (const operation of this.#pending.floating) {
      if (operation === next || operation.invoked >= next.completed || configuration.early.includes(operation))
        continue;
      if (operation.owner !== configuration.state.holder) continue;
      if (!this.#mayBeOverBefore(configuration.point.time, operation, next)) continue;
      const entered = this.#enter(configuration, operation);
      if (entered !== undefined) found.push({ ...entered, early: [...configuration.early, operation] });
    }
    return found;
  }

  /**
   * The free lock after other holds that fit between it and `next`: of acquires that are completed later, and, where
   * something calls for them, of acquires that nobody was told the outcome of.
   */
  #afterInsertions(free: Configuration, next: LockOperation, limit: number): readonly Configuration[] {
    const found: Configuration[] = [];
    let frontier = [free];
    for (let inserted = 0; frontier.length > 0 && inserted < limit; inserted += 1) {
      const after = frontier.flatMap((base) =>
        this.#insertions(base, next).flatMap((held) => this.#endings(held, next)),
      );
      frontier = withoutDominated(after);
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
      if (acquire === next || acquire.invoked >= next.completed || base.early.includes(acquire)) continue;
      if (!this.#mayBeOverBefore(base.point.time, acquire, next)) continue;
      const held = this.#enter(base, acquire);
      if (held !== undefined) found.push({ ...held, early: [...base.early, acquire] });
    }
    const strangers = this.#strangersPending(base, next);
    if (base.owed === undefined && !strangers) return found;
    for (const acquire of this.#possible.acquires(base, next.completed)) {
      if (!strangers && !this.#mayBeOverBefore(base.point.time, acquire, next)) continue;
      const held = this.#enterPossibly(base, acquire);
      if (held !== undefined) found.push(held);
    }
    return found;
  }

  /** Whether a hold of `acquire` may have begun and ended between `time` and the completion of `next`. */
  #mayBeOverBefore(time: number, acquire: LockOperation, next: LockOperation): boolean {
    if (acquire.owner === undefined ? this.#possible.hasStrangers : this.#possible.mayChange(acquire.owner))
      return true;
    return Math.max(time, acquire.invokedTime) + acquire.leaseNs <= next.completedTime;
  }

  /** Whether a release or an extension is pending that may need a hold which nobody was told of. */
  #strangersPending(base: Configuration, next: LockOperation): boolean {
    return this.#pending
      .changesByStrangers()
      .some((operation) => operation.invoked < next.completed && operation !== next && !base.early.includes(operation));
  }
}

/** Somebody was seen to hold: the present hold, the last one stretched, or one that must have begun by then. */
function contend(configuration: Configuration, operation: LockOperation): Configuration {
  const { state, heldUntil, owed } = configuration;
  if (state.holder !== undefined || operation.invoked < heldUntil) return configuration;
  if (owed !== undefined && owed.index <= operation.completed) return configuration;
  return { ...configuration, owed: { index: operation.completed, time: operation.completedTime } };
}

function furthest(configurations: readonly Configuration[]): Configuration {
  const [first] = configurations;
  if (first === undefined) throw new Error("there is always a configuration");
  return first;
}
