import { countUp, type Configuration, type Counts } from "./configuration.ts";
import type { LockOperation } from "./lock-models.ts";
import type { StepBudget } from "./step-budget.ts";

/** How many owner values are remembered whose operations of unknown outcome have all been used. */
const REMEMBERED_OWNERS = 10_000;

interface Pool {
  /** In the order of their invocations. */
  readonly operations: LockOperation[];
  /** How many of them took effect in every configuration. */
  used: number;
}

/**
 * The operations of one key of unknown outcome: they may take effect at any time after their invocation, or never.
 * Those of one kind (the same owner and lease) differ only in their invocation, so a configuration takes the oldest
 * first and needs only to count.
 */
export class PossibleOperations {
  readonly #budget: StepBudget;
  readonly #pools = new Map<string, Pool>();
  readonly #acquires = new Set<string>();
  readonly #byOwner = new Map<string, Set<string>>();
  readonly #strangers = new Set<string>();
  /** Owner values whose operations were all used for good, the latest last. */
  readonly #settledOwners = new Set<string>();

  constructor(budget: StepBudget) {
    this.#budget = budget;
  }

  add(operation: LockOperation): void {
    const kind = kindOf(operation);
    const pool = this.#pools.get(kind);
    if (pool !== undefined) {
      insert(pool, operation);
      return;
    }
    this.#pools.set(kind, { operations: [operation], used: 0 });
    if (operation.kind === "acquire") this.#acquires.add(kind);
    if (operation.stranger) this.#strangers.add(kind);
    if (operation.owner === undefined) return;
    const kinds = this.#byOwner.get(operation.owner);
    if (kinds === undefined) this.#byOwner.set(operation.owner, new Set([kind]));
    else kinds.add(kind);
  }

  /** One acquire of each kind that may still be granted, if it was invoked before event `index`. */
  acquires(configuration: Configuration, index: number): readonly LockOperation[] {
    return this.#oldest(this.#acquires, configuration.usedAcquires, index);
  }

  /** One release, extension or re-entry of each kind that may still be made by `owner`. */
  changesBy(owner: string, configuration: Configuration, index: number): readonly LockOperation[] {
    return this.#oldest(this.#byOwner.get(owner) ?? [], configuration.used, index);
  }

  /** One release or extension of each kind that may still be made by an owner without a known grant. */
  changesByStrangers(configuration: Configuration, index: number): readonly LockOperation[] {
    return this.#oldest(this.#strangers, configuration.used, index);
  }

  /** Whether an operation of unknown outcome may end or shorten a hold of this owner. */
  mayChange(owner: string): boolean {
    return this.#byOwner.has(owner);
  }

  /** The same, for operations too that every configuration has used since. */
  mayHaveChanged(owner: string): boolean {
    return this.mayChange(owner) || this.#settledOwners.has(owner);
  }

  /** Whether there are releases or extensions without a known grant. */
  get hasStrangers(): boolean {
    return this.#strangers.size > 0;
  }

  /** Marks the operations that every configuration used as used for good. */
  settle(common: Counts): void {
    for (const [kind, count] of common) {
      const pool = this.#pools.get(kind)!;
      pool.used += count;
      if (pool.used < pool.operations.length) continue;
      this.#pools.delete(kind);
      this.#acquires.delete(kind);
      this.#strangers.delete(kind);
      const owner = pool.operations[0]?.owner;
      if (owner === undefined) continue;
      this.#byOwner.get(owner)?.delete(kind);
      if (this.#byOwner.get(owner)?.size === 0) this.#settleOwner(owner);
    }
  }

  #settleOwner(owner: string): void {
    this.#byOwner.delete(owner);
    this.#settledOwners.delete(owner);
    this.#settledOwners.add(owner);
    const [oldest] = this.#settledOwners;
    if (this.#settledOwners.size > REMEMBERED_OWNERS && oldest !== undefined) this.#settledOwners.delete(oldest);
  }

  #oldest(kinds: Iterable<string>, used: Counts, index: number): readonly LockOperation[] {
    const found: LockOperation[] = [];
    for (const kind of kinds) {
      this.#budget.spend(1);
      const pool = this.#pools.get(kind)!;
      const operation = pool.operations[pool.used + (used.get(kind) ?? 0)];
      if (operation !== undefined && operation.invoked < index) found.push(operation);
    }
    return found;
  }
}

/** The configuration after `operation` took effect, by the count of its kind. */
export function withUsed(configuration: Configuration, operation: LockOperation): Configuration {
  const kind = kindOf(operation);
  return operation.kind === "acquire"
    ? { ...configuration, usedAcquires: countUp(configuration.usedAcquires, kind) }
    : { ...configuration, used: countUp(configuration.used, kind) };
}

function kindOf({ kind, owner, leaseNs, stranger }: LockOperation): string {
  if (kind === "acquire") return `acquire ${leaseNs}`;
  return kind === "release" ? `release ${stranger} ${owner}` : `${kind} ${leaseNs} ${stranger} ${owner}`;
}

function insert(pool: Pool, operation: LockOperation): void {
  // Operations arrive in the order of their ends, which is nearly that of their invocations.
  let place = pool.operations.length;
  while (place > pool.used && pool.operations[place - 1]!.invoked > operation.invoked) place -= 1;
  pool.operations.splice(place, 0, operation);
}
