import { countUp, type Configuration, type Counts } from "./configuration.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { LockOperation } from "./lock-models.ts";
import type { StepBudget } from "./step-budget.ts";

/** How many owner values are remembered whose operations of unknown outcome have all been used. */
const REMEMBERED_OWNERS = 10_000;
/** How many kinds of operations are kept, and how many of one kind: each owner value is a kind. */
const MOST_KINDS = 10_000;
const MOST_OF_A_KIND = 50_000;

interface Pool {
  /** All of its operations are like this one. */
  readonly first: LockOperation;
  /**
   * In the order of their invocations. Of a re-entry it has the acquire: one may have entered the holds of hundreds of owners,
   * and all of them refer to it.
   */
  readonly operations: LockOperation[];
  /** How many of them took effect in every configuration. */
  used: number;
}

/** The kinds of operations (see `kindOf`). */
interface Kinds {
  readonly pools: OldestFirst<string, Pool>;
  readonly acquires: Set<string>;
  readonly byOwner: Map<string, Set<string>>;
  readonly strangers: Set<string>;
  /** The operations that state until when they took effect, in the order in which they became known. */
  readonly passing: OldestFirst<LockOperation, true>;
  /** Owner values whose operations were all used for good, the latest last. */
  readonly settledOwners: OldestFirst<string, true>;
}

function emptyKinds(): Kinds {
  return {
    pools: new OldestFirst(),
    acquires: new Set(),
    byOwner: new Map(),
    strangers: new Set(),
    passing: new OldestFirst(),
    settledOwners: new OldestFirst(REMEMBERED_OWNERS),
  };
}

/** Shared by all keys without operations of unknown outcome: nearly all, and there may be thousands. It stays empty. */
const NO_KINDS = emptyKinds();

/**
 * The operations of one key of unknown outcome: they may take effect at any time after their invocation, or never.
 * Those of one kind (the same owner and lease) differ only in their invocation, so a configuration takes the oldest
 * first and needs only to count.
 */
export class PossibleOperations {
  readonly #budget: StepBudget;
  #kinds = NO_KINDS;
  #incomplete = false;
  #settledAcquires = 0;

  constructor(budget: StepBudget) {
    this.#budget = budget;
  }

  add(operation: LockOperation): void {
    if (this.#kinds === NO_KINDS) this.#kinds = emptyKinds();
    const kind = kindOf(operation);
    if (operation.until !== undefined) this.#kinds.passing.set(operation, true);
    const pool = this.#kinds.pools.get(kind);
    if (pool !== undefined) {
      if (pool.operations.length - pool.used < MOST_OF_A_KIND) insert(pool, operation);
      else this.#incomplete = true;
      return;
    }
    if (this.#kinds.pools.size >= MOST_KINDS) this.#dropOldest();
    this.#kinds.pools.set(kind, { first: operation, operations: [kept(operation)], used: 0 });
    if (operation.kind === "acquire") this.#kinds.acquires.add(kind);
    if (operation.stranger) this.#kinds.strangers.add(kind);
    const { owner } = operation;
    if (owner === undefined) return;
    const kinds = this.#kinds.byOwner.get(owner);
    if (kinds === undefined) this.#kinds.byOwner.set(owner, new Set([kind]));
    else kinds.add(kind);
  }

  /**
   * Drops the operations that must have taken effect before event `index`, unless a hold that nothing changed since may show that
   * they have.
   * Returns how many of each kind.
   */
  pass(index: number, lasts: (owner: string | undefined, until: number) => boolean): Counts {
    const passed = new Map<string, number>();
    for (;;) {
      const [operation] = this.#kinds.passing.oldest ?? [];
      if (operation?.until === undefined || operation.until > index) break;
      if (lasts(operation.owner, operation.until)) break;
      this.#kinds.passing.delete(operation);
      const kind = kindOf(operation);
      const before = passed.get(kind) ?? 0;
      const pool = this.#kinds.pools.get(kind);
      if (pool?.operations[pool.used + before] === operation) passed.set(kind, before + 1);
    }
    this.settle(passed);
    return passed;
  }

  /** One acquire of each kind that may still be granted, if it was invoked before event `index`. */
  acquires(configuration: Configuration, index: number): readonly LockOperation[] {
    return this.#oldest(this.#kinds.acquires, configuration.usedAcquires, index);
  }

  /** One release, extension or re-entry of each kind that may still be made by `owner`. */
  changesBy(owner: string, configuration: Configuration, index: number): readonly LockOperation[] {
    const possible = this.#oldest(this.#kinds.byOwner.get(owner) ?? [], configuration.used, index);
    return possible.filter(({ until = Infinity }) => configuration.point.index < until);
  }

  /** One release or extension of each kind that may still be made by an owner without a known grant. */
  changesByStrangers(configuration: Configuration, index: number): readonly LockOperation[] {
    return this.#oldest(this.#kinds.strangers, configuration.used, index);
  }

  /** Whether an operation of unknown outcome may end or shorten a hold of this owner. */
  mayChange(owner: string): boolean {
    return this.#kinds.byOwner.has(owner);
  }

  /** The same, for operations too that every configuration has used since. */
  mayHaveChanged(owner: string): boolean {
    return this.mayChange(owner) || this.#kinds.settledOwners.has(owner);
  }

  /** Whether the releases of unknown outcome, or a lost notice, suffice to end this hold. */
  mayLeave({ state: { holder, depth, renewals }, used }: Configuration): boolean {
    let releases = 0;
    for (const kind of typeof holder === "string" ? (this.#kinds.byOwner.get(holder) ?? []) : []) {
      this.#budget.spend(1);
      const pool = this.#kinds.pools.get(kind)!;
      const left = pool.operations.length - pool.used - (used.get(kind) ?? 0);
      if (kind.startsWith("release ")) releases += left;
      if (kind.startsWith("lose ") && left > 0) return true;
    }
    return releases >= depth - renewals;
  }

  /** Whether there are releases or extensions without a known grant. */
  get hasStrangers(): boolean {
    return this.#kinds.strangers.size > 0;
  }

  /**
   * Whether operations were dropped because there were too many. What the others explain is explained; what they do not
   * explain, one that was dropped might.
   */
  get incomplete(): boolean {
    return this.#incomplete;
  }

  /** How many acquires, as such or as re-entries, were used for good. */
  get settledAcquires(): number {
    return this.#settledAcquires;
  }

  /** Marks the operations that every configuration used as used for good. */
  settle(common: Counts): void {
    this.#settledAcquires += acquiresIn(common);
    for (const [kind, count] of common) {
      const pool = this.#kinds.pools.get(kind);
      if (pool === undefined) continue;
      pool.used += count;
      if (pool.used >= pool.operations.length) this.#remove(kind, pool);
      else if (pool.used > 1024 && pool.used * 2 > pool.operations.length) {
        pool.operations.splice(0, pool.used);
        pool.used = 0;
      }
    }
  }

  #dropOldest(): void {
    const { oldest } = this.#kinds.pools;
    if (oldest === undefined) return;
    this.#incomplete = true;
    this.#remove(...oldest);
  }

  #remove(kind: string, pool: Pool): void {
    this.#kinds.pools.delete(kind);
    this.#kinds.acquires.delete(kind);
    this.#kinds.strangers.delete(kind);
    const { owner } = pool.first;
    if (owner === undefined) return;
    this.#kinds.byOwner.get(owner)?.delete(kind);
    if (this.#kinds.byOwner.get(owner)?.size === 0) this.#settleOwner(owner);
  }

  #settleOwner(owner: string): void {
    this.#kinds.byOwner.delete(owner);
    this.#kinds.settledOwners.set(owner, true);
  }

  #oldest(kinds: Iterable<string>, used: Counts, index: number): readonly LockOperation[] {
    const found: LockOperation[] = [];
    for (const kind of kinds) {
      this.#budget.spend(1);
      const pool = this.#kinds.pools.get(kind)!;
      const operation = pool.operations[pool.used + (used.get(kind) ?? 0)];
      if (operation !== undefined && operation.invoked < index) found.push(asOf(pool, operation));
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

/** How many acquires these counts hold, as such or as re-entries. */
export function acquiresIn(counts: Counts): number {
  let sum = 0;
  for (const [kind, count] of counts) if (kind.startsWith("acquire ") || kind.startsWith("reenter ")) sum += count;
  return sum;
}

function kindOf({ kind, owner, leaseNs, stranger, until }: LockOperation): string {
  if (kind === "acquire") return `acquire ${leaseNs}`;
  if (until !== undefined) return `${kind} passing ${owner}`;
  return kind === "release" ? `release ${stranger} ${owner}` : `${kind} ${leaseNs} ${stranger} ${owner}`;
}

function insert(pool: Pool, operation: LockOperation): void {
  // Operations arrive in the order of their ends, which is nearly that of their invocations.
  let place = pool.operations.length;
  while (place > pool.used && pool.operations[place - 1]!.invoked > operation.invoked) place -= 1;
  if (place === pool.operations.length) pool.operations.push(kept(operation));
  else pool.operations.splice(place, 0, kept(operation));
}

function kept(operation: LockOperation): LockOperation {
  return operation.acquire ?? operation;
}

function asOf({ first: { kind, owner } }: Pool, operation: LockOperation): LockOperation {
  return operation.kind === kind ? operation : { ...operation, kind, owner, acquire: operation };
}
