import { initialStates, type LockModel, type LockOperation, type LockState } from "./lock-models.ts";

/** A point in the history: after event `index`, at `time` or later. */
export interface Point {
  readonly index: number;
  readonly time: number;
}

/**
 * One way in which the operations so far may have taken effect. What can be decided later is left open: a hold that
 * nothing has ended continues; a hold that was ended may be stretched to `heldUntil`; if somebody was seen to hold and
 * nobody did, the next hold must begin before `owed`. All bounds are as loose as the operations permit, so that of two
 * configurations with the same holder one is often as good as the other in every respect; then only that one is kept.
 */
export interface Configuration {
  readonly state: LockState;
  /** The acquire that made the hold. */
  readonly grant: LockOperation | undefined;
  /** The earliest point at which the last change of the state can have happened. */
  readonly point: Point;
  /** For a free lock: the event up to which the hold before may be stretched. */
  readonly heldUntil: number;
  /** For a free lock: the point before which somebody must have acquired it. */
  readonly owed: Point | undefined;
  /** Operations that took effect and are not completed yet. */
  readonly early: readonly LockOperation[];
  /** How many acquires of unknown outcome took effect, by kind (see `PossibleOperations`); the oldest always first. */
  readonly usedAcquires: Counts;
  /** How many releases and extensions of unknown outcome took effect, by kind; the oldest always first. */
  readonly used: Counts;
}

export type Counts = ReadonlyMap<string, number>;

const NOTHING_USED: Counts = new Map();

/** One for each state in which the lock may be when the history begins. */
export function initialConfigurations(model: LockModel): Configuration[] {
  return initialStates(model).map((state) => ({
    state,
    grant: undefined,
    point: { index: -1, time: 0 },
    heldUntil: -1,
    owed: undefined,
    early: [],
    usedAcquires: NOTHING_USED,
    used: NOTHING_USED,
  }));
}

/** The earliest point at which `operation` can take effect after `point`. */
export function pointAfter(point: Point, operation: LockOperation): Point {
  if (operation.invoked <= point.index && operation.invokedTime <= point.time) return point;
  return {
    index: Math.max(point.index, operation.invoked),
    time: Math.max(point.time, operation.invokedTime),
  };
}

/** Whether something can begin at `point` and still be before `owed`. */
export function isBefore(point: Point, owed: Point | undefined): boolean {
  return owed === undefined || (point.index < owed.index && point.time <= owed.time);
}

/** One more of a kind. */
export function countUp(counts: Counts, key: string): Counts {
  return new Map(counts).set(key, (counts.get(key) ?? 0) + 1);
}

/** What all of these have in common. */
export function commonCounts(all: readonly Counts[]): Counts {
  const [first, ...others] = all;
  if (first === undefined || first.size === 0 || others.some(({ size }) => size === 0)) return NOTHING_USED;
  const common = new Map<string, number>();
  for (const [key, count] of first) {
    const least = Math.min(count, ...others.map((other) => other.get(key) ?? 0));
    if (least > 0) common.set(key, least);
  }
  return common;
}

/** `counts` less `common`, as far as it is part of it. */
export function withoutCommon(counts: Counts, common: Counts): Counts {
  const rest = [...counts].map(([key, count]) => [key, count - (common.get(key) ?? 0)] as const);
  return new Map(rest.filter(([, count]) => count > 0));
}

/** Without the configurations that another one replaces: everything that may follow them may follow it. */
export function withoutDominated(configurations: readonly Configuration[]): Configuration[] {
  return without(configurations, (one, other) => dominates(one, other) && usesNoMore(one.used, other.used));
}

/**
 * The same, if no owner value is used for a second acquisition: what an owner did to its only hold then makes no
 * difference.
 */
export function withoutDominatedIfFresh(configurations: readonly Configuration[]): Configuration[] {
  return without(configurations, dominates);
}

/**
 * Without the configurations that another one replaces, for a lock without owners: every client can use every
 * operation, so both must have used the same ones.
 */
export function withoutReplaceable(configurations: readonly Configuration[]): Configuration[] {
  return without(
    configurations,
    (one, other) =>
      one.early.length === other.early.length && dominates(one, other) && usesNoMore(one.used, other.used),
  );
}

function without(
  configurations: readonly Configuration[],
  replaces: (one: Configuration, other: Configuration) => boolean,
): Configuration[] {
  if (configurations.length < 2) return [...configurations];
  const kept = new Set<Configuration>();
  for (const alike of byDepth(configurations).values()) {
    let remaining: Configuration[] = [];
    for (const candidate of alike) {
      if (remaining.some((other) => replaces(other, candidate))) continue;
      remaining = [...remaining.filter((other) => !replaces(candidate, other)), candidate];
    }
    for (const configuration of remaining) kept.add(configuration);
  }
  return configurations.filter((configuration) => kept.has(configuration));
}

/** How many comparisons it takes to find those that another one replaces. */
export function comparisonsOf(configurations: readonly Configuration[]): number {
  let sum = 0;
  for (const alike of byDepth(configurations).values()) sum += alike.length ** 2;
  return sum;
}

/** None replaces one of another depth. */
function byDepth(configurations: readonly Configuration[]): ReadonlyMap<number, readonly Configuration[]> {
  return Map.groupBy(configurations, ({ state }) => state.depth);
}

function dominates(one: Configuration, other: Configuration): boolean {
  return (
    one.state.holder === other.state.holder &&
    one.state.depth === other.state.depth &&
    one.state.maybeDeeper === other.state.maybeDeeper &&
    one.state.renewals === other.state.renewals &&
    one.state.holdFence === other.state.holdFence &&
    one.state.lastFence <= other.state.lastFence &&
    one.state.expirableFrom <= other.state.expirableFrom &&
    one.point.index <= other.point.index &&
    one.point.time <= other.point.time &&
    one.heldUntil >= other.heldUntil &&
    owesNoMore(one.owed, other.owed) &&
    hasDoneAsMuch(one.early, other.early) &&
    usesNoMore(one.usedAcquires, other.usedAcquires)
  );
}

/**
 * A configuration that has used a release or an extension is never worse for it. One that has used an acquire may be:
 * its hold is over, and its owner may need it later.
 */
function hasDoneAsMuch(one: readonly LockOperation[], other: readonly LockOperation[]): boolean {
  if (one.length === 0 && other.length === 0) return true;
  return (
    other.every((operation) => one.includes(operation)) &&
    one.every((operation) => operation.kind !== "acquire" || other.includes(operation))
  );
}

function owesNoMore(one: Point | undefined, other: Point | undefined): boolean {
  if (one === undefined) return true;
  return other !== undefined && one.index >= other.index && one.time >= other.time;
}

function usesNoMore(one: Counts, other: Counts): boolean {
  if (one.size === 0) return true;
  for (const [key, count] of one) if (count > (other.get(key) ?? 0)) return false;
  return true;
}

/**
 * Somebody was seen to hold: the present holder, the last one with its hold stretched, or one whose hold must have
 * begun by then.
 */
export function contend(configuration: Configuration, operation: LockOperation): Configuration {
  const { state, heldUntil, owed } = configuration;
  if (state.holder !== undefined || operation.invoked < heldUntil) return configuration;
  if (owed !== undefined && owed.index <= operation.completed) return configuration;
  return { ...configuration, owed: { index: operation.completed, time: operation.completedTime } };
}

/** The configuration that got furthest. */
export function furthest(configurations: readonly Configuration[]): Configuration {
  const [first] = configurations;
  if (first === undefined) throw new Error("there is always a configuration");
  return first;
}

/**
 * Whether a grant has a fencing token that a new hold cannot have, or another token than the hold that it entered
 * again.
 */
export function isDisordered({ kind, owner, fence }: LockOperation, { state }: Configuration): boolean {
  if (kind !== "acquire" || fence === undefined) return false;
  const differs = state.holder === owner && state.holdFence !== undefined && state.holdFence !== fence;
  return differs || fence <= state.lastFence;
}
