import {
  contend,
  furthest,
  initialConfigurations,
  isBefore,
  pointAfter,
  withoutReplaceable,
  type Configuration,
} from "./configuration.ts";
import { InvocationQueue } from "./invocation-queue.ts";
import { completedEarly, expiredBefore, settled, unexplainedEnd } from "./followed-configurations.ts";
import type { Follower, Impossible } from "./follower.ts";
import { ANYBODY, apply, expirableFrom, type LockModel, type LockOperation } from "./lock-models.ts";
import { PossibleOperations, withUsed } from "./possible-operations.ts";
import type { StepBudget } from "./step-budget.ts";

/** More configurations than this are not followed; a failure then decides nothing. */
const MAX_CONFIGURATIONS = 128;
/** How many holds (or extensions) that nothing requires are tried one after another between two operations. */
const MAX_INSERTED = 4;

/**
 * Follows the linearizations of one key's operations on a lock without owners: any release ends the present hold.
 * Operations are announced as to `Linearization`, and placed as late: at their completion, or just before the
 * completion of another operation that needs them.
 *
 * Acquires and releases must alternate, so an operation needs at most one of the other kind before it. It hardly ever
 * matters which: of two releases, the one that was invoked earlier and completed earlier can stand wherever the other
 * does (exchange them), and the same is true of two acquires with equal leases. Only operations that no other replaces
 * in this way are left. A hold and its end that the next operation does not need may as well come after it, as long as
 * all leases are equal. What remains to be tried are holds that expire, and leases of different lengths.
 */
export class OwnerlessLinearization implements Follower {
  readonly #model: LockModel;
  readonly #budget: StepBudget;
  readonly #possible: PossibleOperations;
  /** Known and not invoked yet, as of the last completion. */
  readonly #future = new InvocationQueue();
  /** Required operations that were invoked and are not completed, each in the order of invocation. */
  readonly #acquires = new Set<LockOperation>();
  readonly #releases = new Set<LockOperation>();
  readonly #extensions = new Set<LockOperation>();
  #configurations: Configuration[];
  #truncated = false;
  /** The lease of all acquires and extensions, as long as they have the same. */
  #lease: number | undefined;
  #uniform = true;

  constructor(model: LockModel, budget: StepBudget) {
    this.#model = model;
    this.#budget = budget;
    this.#configurations = initialConfigurations(model);
    this.#possible = new PossibleOperations(budget);
  }

  /** Whether configurations were dropped because there were too many: a failure then proves nothing. */
  get truncated(): boolean {
    return this.#truncated || this.#possible.incomplete || this.#budget.exhausted;
  }

  get exhausted(): boolean {
    return this.#budget.exhausted;
  }

  /** How many configurations there are now. */
  get width(): number {
    return this.#configurations.length;
  }

  /** Announces an operation, once its outcome is known. */
  announce(operation: LockOperation): void {
    const { kind, leaseNs, validUntil } = operation;
    if (kind === "acquire" || kind === "extend") {
      this.#lease ??= leaseNs;
      if (leaseNs !== this.#lease || validUntil !== undefined) this.#uniform = false;
    }
    if (!operation.required) this.#possible.add({ ...operation, owner: undefined, stranger: true, until: undefined });
    else if (kind === "acquire" || kind === "release" || kind === "extend") this.#future.add(operation);
  }

  /** Of no use to a lock without owners. */
  confirm(): void {}

  /** Places the next completed operation. Returns what makes it impossible, if it is. */
  push(operation: LockOperation): Impossible | undefined {
    for (const begun of this.#future.before(operation.completed)) this.#pendingLike(begun).add(begun);
    this.#pendingLike(operation).delete(operation);
    const before = this.#configurations;
    const after = before.flatMap((configuration) => this.#place(configuration, operation));
    const kept = withoutReplaceable(this.#cut(after));
    if (kept.length === 0) return { operation, before: furthest(before) };
    this.#configurations = settled(this.#bounded(kept), this.#possible);
    return undefined;
  }

  /**
   * To be called after the last operation. Returns the configuration that got furthest, if somebody was seen to hold
   * and nobody can have held.
   */
  finish(): Configuration | undefined {
    return unexplainedEnd(this.#configurations, this.#possible);
  }

  #pendingLike({ kind }: LockOperation): Set<LockOperation> {
    if (kind === "acquire") return this.#acquires;
    return kind === "extend" ? this.#extensions : this.#releases;
  }

  /** No more of them than can be compared with each other. */
  #cut(configurations: readonly Configuration[]): readonly Configuration[] {
    const compared = configurations.slice(0, 4 * MAX_CONFIGURATIONS);
    if (compared.length < configurations.length) this.#truncated = true;
    this.#budget.spend(1 + configurations.length + compared.length ** 2);
    return compared;
  }

  #bounded(configurations: Configuration[]): Configuration[] {
    if (configurations.length <= MAX_CONFIGURATIONS) return configurations;
    this.#truncated = true;
    return configurations
      .toSorted((left, right) => left.point.time - right.point.time)
      .slice(0, MAX_CONFIGURATIONS / 2);
  }

  #place(configuration: Configuration, operation: LockOperation): readonly Configuration[] {
    const completed = completedEarly(configuration, operation);
    if (completed !== undefined) return [completed];
    switch (operation.kind) {
      case "acquire":
        return this.#freeBefore(configuration, operation).flatMap((free) => this.#enter(free, operation) ?? []);
      case "release":
      case "lose":
      case "extend":
        return this.#heldBefore(configuration, operation).flatMap(
          (held) => this.#use(held, operation, operation.completed) ?? [],
        );
      case "miss":
      case "reenter":
        return [configuration];
      case "contended":
        return [contend(configuration, operation)];
    }
  }

  /** All ways in which the lock may be free just before `next`, an acquire, takes effect. */
  #freeBefore(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    if (configuration.state.holder === undefined) return [configuration, ...this.#detours([configuration], next)];
    const expired = this.#endings(configuration, next, "expiry");
    const released = this.#endings(configuration, next, "release");
    return [...expired, ...released, ...this.#detours(this.#uniform ? expired : [...expired, ...released], next)];
  }

  /** All ways in which the lock may be held just before `next`, a release or an extension, takes effect. */
  #heldBefore(configuration: Configuration, next: LockOperation): readonly Configuration[] {
    const held = configuration.state.holder !== undefined;
    const free = held
      ? [
          ...this.#endings(configuration, next, "expiry"),
          ...(this.#uniform ? [] : this.#endings(configuration, next, "release")),
        ]
      : [configuration];
    const entered = [...free, ...this.#detours(free, next)].flatMap((base) => this.#entries(base, next, true));
    const present = held ? [configuration, ...entered] : entered;
    return next.kind === "extend" && this.#uniform ? present : present.flatMap((each) => this.#extended(each, next));
  }

  /** The free lock after further holds that begin and end before `next`. */
  #detours(free: readonly Configuration[], next: LockOperation): readonly Configuration[] {
    const found: Configuration[] = [];
    let frontier = free;
    for (let inserted = 0; frontier.length > 0; inserted += 1) {
      const after = frontier.flatMap((base) => {
        const anyEnd = !this.#uniform || base.owed !== undefined;
        return this.#entries(base, next, anyEnd).flatMap((held) => [
          ...this.#endings(held, next, "expiry"),
          ...(anyEnd ? this.#endings(held, next, "release") : []),
        ]);
      });
      frontier = withoutReplaceable(this.#cut(after));
      if (frontier.length === 0 || this.#budget.exhausted) break;
      if (inserted === MAX_INSERTED || found.length > MAX_CONFIGURATIONS) {
        this.#truncated = true;
        break;
      }
      found.push(...frontier);
    }
    return found;
  }

  /** The hold ended by itself, or by a release other than `next`, after extensions that are under way or not. */
  #endings(configuration: Configuration, next: LockOperation, by: "expiry" | "release"): readonly Configuration[] {
    return this.#extended(configuration, next).flatMap((held) =>
      by === "expiry" ? this.#expired(held, next) : this.#released(held, next),
    );
  }

  #expired(held: Configuration, next: LockOperation): readonly Configuration[] {
    const expired = expiredBefore(held, next);
    return expired === undefined ? [] : [expired];
  }

  #released(held: Configuration, next: LockOperation): readonly Configuration[] {
    const pending = [...this.#foremost(this.#releases, held)].flatMap((release) =>
      this.#early(this.#use(held, release, next.completed), release),
    );
    const possible = this.#possible
      .changesByStrangers(held, next.completed)
      .filter(({ kind }) => kind === "release")
      .flatMap((release) => this.#counted(this.#use(held, release, next.completed), release));
    return [...pending, ...possible];
  }

  /** The same hold, and after extensions that may take effect before it ends. */
  #extended(held: Configuration, next: LockOperation): readonly Configuration[] {
    if (this.#extensions.size === 0 && this.#uniform) return [held];
    const found = [held];
    let frontier: readonly Configuration[] = found;
    for (let inserted = 0; ; inserted += 1) {
      frontier = withoutReplaceable(this.#cut(frontier.flatMap((base) => this.#extensionsOf(base, next))));
      if (frontier.length === 0 || this.#budget.exhausted) return found;
      if (inserted === MAX_INSERTED || found.length > MAX_CONFIGURATIONS) {
        this.#truncated = true;
        return found;
      }
      found.push(...frontier);
    }
  }

  #extensionsOf(held: Configuration, next: LockOperation): readonly Configuration[] {
    const pending = [...this.#foremost(this.#extensions, held)].flatMap((extension) =>
      extension === next ? [] : this.#early(this.#use(held, extension, next.completed), extension),
    );
    // An extension of unknown outcome is needed only if it shortens the lease.
    const possible = this.#uniform
      ? []
      : this.#possible
          .changesByStrangers(held, next.completed)
          .filter(({ kind }) => kind === "extend")
          .flatMap((extension) => this.#counted(this.#use(held, extension, next.completed), extension))
          .filter(({ state }) => state.expirableFrom < held.state.expirableFrom);
    return [...pending, ...possible];
  }

  /** The lock taken by acquires other than `next`. `anyEnd`: what ends the hold need not be its expiry. */
  #entries(free: Configuration, next: LockOperation, anyEnd: boolean): readonly Configuration[] {
    const pending: Configuration[] = [];
    for (const acquire of this.#foremost(this.#acquires, free)) {
      const over = expirableFrom(acquire, Math.max(free.point.time, acquire.invokedTime)) <= next.completedTime;
      // With equal leases the acquire that was invoked first is over first.
      if (!anyEnd && !over && this.#uniform) break;
      if (anyEnd || over) pending.push(...this.#early(this.#enter(free, acquire), acquire));
    }
    const possible = anyEnd
      ? this.#possible
          .acquires(free, next.completed)
          .flatMap((acquire) => this.#counted(this.#enter(free, acquire), acquire))
      : [];
    return [...pending, ...possible];
  }

  /**
   * The operations under way that no other can replace. Another one replaces an operation if it was invoked no later
   * and is completed no later, with the same lease.
   */
  *#foremost(pending: Iterable<LockOperation>, { early }: Configuration): Iterable<LockOperation> {
    // They come in the order of their invocations.
    const completed = new Map<string, number>();
    for (const operation of pending) {
      this.#budget.spend(1);
      if (this.#budget.exhausted) return;
      if (early.includes(operation)) continue;
      const alike = `${operation.leaseNs} ${operation.validUntil}`;
      if ((completed.get(alike) ?? Infinity) < operation.completed) continue;
      completed.set(alike, operation.completed);
      yield operation;
    }
  }

  #early(after: Configuration | undefined, operation: LockOperation): readonly Configuration[] {
    return after === undefined ? [] : [{ ...after, early: [...after.early, operation] }];
  }

  #counted(after: Configuration | undefined, operation: LockOperation): readonly Configuration[] {
    if (after === undefined) return [];
    this.#budget.spend(2 * (after.used.size + after.usedAcquires.size));
    return [withUsed(after, operation)];
  }

  /** The hold begins as early as it can, if it can. */
  #enter(free: Configuration, operation: LockOperation): Configuration | undefined {
    const point = pointAfter(free.point, operation);
    if (!isBefore(point, free.owed)) return undefined;
    const state = apply(this.#model, free.state, operation, point.time);
    if (state === undefined) return undefined;
    return {
      ...free,
      state: { ...state, holder: ANYBODY },
      grant: operation,
      point,
      heldUntil: -1,
      owed: undefined,
    };
  }

  /** A release or an extension takes effect on the present hold. Until `stretch` the hold may have lasted. */
  #use(held: Configuration, operation: LockOperation, stretch: number): Configuration | undefined {
    const point = pointAfter(held.point, operation);
    const state = apply(this.#model, held.state, operation, point.time);
    if (state === undefined) return undefined;
    if (state.holder !== undefined) return { ...held, state, point };
    return { ...held, state, grant: undefined, point, heldUntil: stretch, owed: undefined };
  }
}
