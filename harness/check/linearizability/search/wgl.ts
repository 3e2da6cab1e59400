import { inOnePiece } from "../../evidence/pieces.ts";
import { StepBudget } from "../step-budget.ts";
import type { LockModel, LockOperation } from "../lock-models.ts";
import { specificationOf, type Specification, type SpecifiedStep } from "./specification.ts";

/** `unknown`: the search was given up after the steps that it was allowed. */
export type SearchOutcome = "linearizable" | "not-linearizable" | "unknown";

/** How many configurations are searched at a time. */
const PIECE = 1000;

/** An operation may come next with and without an expiry before it. Each further way counts as a configuration. */
const USUAL_OPTIONS = 2;

/** An invocation or a completion in the list of operations that are not linearized yet. */
interface Entry {
  readonly operation: number;
  readonly isReturn: boolean;
  readonly time: number;
  previous: Entry | undefined;
  next: Entry | undefined;
  /** The completion that belongs to an invocation. */
  match: Entry | undefined;
}

interface Frame<S> {
  readonly entry: Entry;
  readonly state: S;
  readonly time: number;
  /** States to continue with when this one fails. */
  readonly alternatives: SpecifiedStep<S>[];
}

/**
 * Whether the operations of one key are linearizable: the general search of Wing and Gong (1993) with Lowe's memory of
 * visited configurations (2017). It is exponential at worst. It knows nothing of locks but the model, which makes it an
 * independent second opinion on the checker that does.
 *
 * Each configuration also has a time: the earliest at which its last operation can have taken effect. A lease may
 * expire before an operation if that time allows it.
 *
 * @param maxSteps after how many configurations to give up
 */
export function searchLinearization(
  operations: readonly LockOperation[],
  model: LockModel,
  maxSteps: number,
): SearchOutcome {
  return inOnePiece(searching(operations, specificationOf(model), maxSteps, new StepBudget(Infinity)));
}

/**
 * The same search, in pieces: it yields after each thousand configurations. Each configuration takes as many steps of
 * the budget as there are operations.
 */
export function* searching<S>(
  operations: readonly LockOperation[],
  specification: Specification<S>,
  maxSteps: number,
  budget: StepBudget,
): Generator<undefined, SearchOutcome> {
  let outcome: SearchOutcome = "not-linearizable";
  for (const state of specification.initial) {
    const found = yield* searchingFrom(state, operations, specification, maxSteps, budget);
    if (found === "linearizable") return found;
    if (found === "unknown") outcome = found;
  }
  return outcome;
}

function* searchingFrom<S>(
  initial: S,
  operations: readonly LockOperation[],
  specification: Specification<S>,
  maxSteps: number,
  budget: StepBudget,
): Generator<undefined, SearchOutcome> {
  const head = entriesOf(operations);
  const twins = twinsOf(operations);
  const done = new Bits(operations.length);
  const seen = new Set<string>();
  const stack: Frame<S>[] = [];
  let required = operations.filter((operation) => operation.required).length;
  let current: SpecifiedStep<S> = { state: initial, time: 0 };
  let entry = head.next;
  let steps = 0;
  let pause = PIECE;

  while (required > 0) {
    const isOut =
      entry === undefined ||
      entry.isReturn ||
      twins.get(entry.operation)?.some((twin) => done.has(twin)) === true ||
      isTooLate(operations[entry.operation]!, stack, operations);
    const options = isOut || entry === undefined ? [] : optionsFor(entry, current, operations, specification, head);
    const more = Math.max(0, options.length - USUAL_OPTIONS);
    steps += more;
    budget.spend(more * operations.length);
    const step = options.find((option) =>
      isNew(seen, done, entry!.operation, option.time, specification.name(option.state)),
    );
    if (step !== undefined && entry !== undefined) {
      steps += 1;
      budget.spend(operations.length);
      if (steps > maxSteps || budget.exhausted) return "unknown";
      if (steps >= pause) {
        pause = steps + PIECE;
        yield;
      }
      stack.push({ entry, ...current, alternatives: options.slice(options.indexOf(step) + 1) });
      lift(entry);
      done.set(entry.operation);
      if (operations[entry.operation]!.required) required -= 1;
      current = step;
      entry = head.next;
      continue;
    }
    if (entry !== undefined && !entry.isReturn) {
      entry = entry.next;
      continue;
    }
    // A completion whose operation cannot be placed before it, or the end of the list: take the last step back.
    const frame = stack.pop();
    if (frame === undefined) return "not-linearizable";
    unlift(frame.entry);
    done.clear(frame.entry.operation);
    if (operations[frame.entry.operation]!.required) required += 1;
    current = { state: frame.state, time: frame.time };
    const alternative = frame.alternatives.find((option) =>
      isNew(seen, done, frame.entry.operation, option.time, specification.name(option.state)),
    );
    if (alternative === undefined) {
      entry = frame.entry.next;
      continue;
    }
    stack.push({ ...frame, alternatives: frame.alternatives.slice(frame.alternatives.indexOf(alternative) + 1) });
    lift(frame.entry);
    done.set(frame.entry.operation);
    if (operations[frame.entry.operation]!.required) required -= 1;
    current = alternative;
    entry = head.next;
  }
  return "linearizable";
}

/**
 * For each acquire of unknown outcome that is listed several times, its other places in the list: as a hold of its own,
 * and as an entry of a hold of each owner value that it may have had. Only one of them may take effect.
 */
function twinsOf(operations: readonly LockOperation[]): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, number[]>();
  for (const [place, { kind, required, invoked }] of operations.entries()) {
    if (required || (kind !== "acquire" && kind !== "reenter")) continue;
    const known = places.get(invoked);
    if (known === undefined) places.set(invoked, [place]);
    else known.push(place);
  }
  const twins = new Map<number, readonly number[]>();
  for (const all of places.values()) {
    if (all.length === 1) continue;
    for (const place of all)
      twins.set(
        place,
        all.filter((other) => other !== place),
      );
  }
  return twins;
}

/** Whether an operation is placed already that was invoked only after this one must have taken effect, if it did. */
function isTooLate(
  { until }: LockOperation,
  before: readonly Frame<unknown>[],
  operations: readonly LockOperation[],
): boolean {
  return until !== undefined && before.some(({ entry }) => operations[entry.operation]!.invoked >= until);
}

/** The configurations when this operation comes next, with and without an expiry before it. */
function optionsFor<S>(
  entry: Entry,
  { state, time }: SpecifiedStep<S>,
  operations: readonly LockOperation[],
  specification: Specification<S>,
  head: Entry,
): SpecifiedStep<S>[] {
  return specification.after(state, operations[entry.operation]!, time, firstReturn(head));
}

/** The time of the first completion in the list: nothing that comes next may be later. */
function firstReturn(head: Entry): number {
  for (let entry = head.next; entry !== undefined; entry = entry.next) if (entry.isReturn) return entry.time;
  return Infinity;
}

/** Whether the configuration after `operation` was never seen before. Marks it as seen. */
function isNew(seen: Set<string>, done: Bits, operation: number, time: number, state: string): boolean {
  done.set(operation);
  const key = `${done.key()}|${state}|${time}`;
  done.clear(operation);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** A set of small numbers that can be a key. */
class Bits {
  readonly #words: Uint16Array;

  constructor(size: number) {
    this.#words = new Uint16Array(Math.ceil(size / 16));
  }

  set(bit: number): void {
    this.#words[bit >> 4]! |= 1 << (bit & 15);
  }

  clear(bit: number): void {
    this.#words[bit >> 4]! &= ~(1 << (bit & 15));
  }

  has(bit: number): boolean {
    return (this.#words[bit >> 4]! & (1 << (bit & 15))) !== 0;
  }

  key(): string {
    return Buffer.from(this.#words.buffer).toString("latin1");
  }
}

/** A doubly linked list of invocations and completions in the order of the history, behind a head. */
function entriesOf(operations: readonly LockOperation[]): Entry {
  const entries = operations.flatMap((operation, index) => {
    const base = { operation: index, previous: undefined, next: undefined };
    const back: Entry = { ...base, isReturn: true, time: operation.completedTime, match: undefined };
    const call: Entry = { ...base, isReturn: false, time: operation.invokedTime, match: undefined };
    if (!operation.required) return [{ position: operation.invoked, entry: call }];
    call.match = back;
    return [
      { position: operation.invoked, entry: call },
      { position: operation.completed, entry: back },
    ];
  });
  entries.sort((left, right) => left.position - right.position);
  const head: Entry = {
    operation: -1,
    isReturn: false,
    time: 0,
    previous: undefined,
    next: undefined,
    match: undefined,
  };
  let last = head;
  for (const { entry } of entries) {
    last.next = entry;
    entry.previous = last;
    last = entry;
  }
  return head;
}

function lift(entry: Entry): void {
  for (const each of [entry, entry.match]) {
    if (each === undefined) continue;
    if (each.previous !== undefined) each.previous.next = each.next;
    if (each.next !== undefined) each.next.previous = each.previous;
  }
}

function unlift(entry: Entry): void {
  for (const each of [entry.match, entry]) {
    if (each === undefined) continue;
    if (each.previous !== undefined) each.previous.next = each;
    if (each.next !== undefined) each.next.previous = each;
  }
}
