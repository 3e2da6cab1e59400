import fc from "fast-check";
import { apply, expire, FREE, lockModel, type LockOperation, type LockState } from "../linearizability/lock-models.ts";

/** A client's next move in a random history. All numbers are small, so that they collide. */
export interface Move {
  readonly process: number;
  readonly gap: number;
  readonly duration: number;
  /** Where in its duration it takes effect, 0 to 4 quarters. */
  readonly quarter: number;
  /** What it does, if there is a choice; 0 to 9. */
  readonly choice: number;
  readonly outcome: "known" | "unknown";
  /** How long after its end an operation of unknown outcome takes effect; undefined: never. */
  readonly late: number | undefined;
  readonly lease: number;
  /** The validity that the lock reports, counted from the invocation, if it reports one. */
  readonly validity: number | undefined;
  /** What is falsified about it; most numbers stand for nothing. */
  readonly lie: number;
}

export interface RandomHistoryOptions {
  readonly processes: number;
  readonly maxMoves: number;
  /** Whether a client has one owner value or a fresh one per acquisition. */
  readonly fixedOwners: boolean;
  readonly contention: boolean;
  readonly unknown: boolean;
  /** About one operation in this many is falsified; 0 for none. */
  readonly lies: number;
  readonly reentrant: boolean;
}

export function moves(options: RandomHistoryOptions): fc.Arbitrary<readonly Move[]> {
  const move = fc.record({
    process: fc.nat({ max: options.processes - 1 }),
    gap: fc.nat({ max: 4 }),
    duration: fc.oneof({ weight: 2, arbitrary: fc.nat({ max: 5 }) }, { weight: 1, arbitrary: fc.nat({ max: 25 }) }),
    quarter: fc.nat({ max: 4 }),
    choice: fc.nat({ max: 9 }),
    outcome: options.unknown
      ? fc.oneof(
          { weight: 4, arbitrary: fc.constant("known" as const) },
          { weight: 1, arbitrary: fc.constant("unknown" as const) },
        )
      : fc.constant("known" as const),
    late: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
    lease: fc.constantFrom(4, 10, 10, 10, 1000),
    validity: fc.option(fc.nat({ max: 15 }), { freq: 1, nil: undefined }),
    lie: options.lies === 0 ? fc.constant(29) : fc.nat({ max: options.lies }),
  });
  return fc.array(move, { minLength: 1, maxLength: options.maxMoves, size: "max" });
}

interface Planned {
  readonly move: Move;
  readonly process: number;
  readonly invoked: number;
  readonly completed: number;
  readonly effect: number | undefined;
}

/** What a client believes of itself. */
interface Belief {
  owner: string | undefined;
  acquisitions: number;
}

type Draft = Omit<LockOperation, "invoked" | "completed">;

/**
 * The operations of one key as clients of a correct lock would record them, except for the lies. Plays the moves
 * against the model in the order in which they take effect, then numbers invocations and completions in the order of
 * time.
 */
export function randomOperations(history: readonly Move[], options: RandomHistoryOptions): readonly LockOperation[] {
  const drafts = play(schedule(history), options).map((draft, index) => lied(draft, history[index]!, options));
  return withStrangers(numbered(drafts.filter((draft) => draft !== undefined)));
}

function schedule(history: readonly Move[]): readonly Planned[] {
  const clocks = new Map<number, number>();
  return history.map((move) => {
    const invoked = (clocks.get(move.process) ?? 0) + move.gap;
    const completed = invoked + move.duration;
    clocks.set(move.process, completed);
    const within = invoked + (move.duration * move.quarter) / 4;
    const unknown = move.late === undefined ? undefined : within + move.late;
    return { move, process: move.process, invoked, completed, effect: move.outcome === "known" ? within : unknown };
  });
}

function play(planned: readonly Planned[], options: RandomHistoryOptions): readonly (Draft | undefined)[] {
  const beliefs = Array.from({ length: options.processes }, (): Belief => ({ owner: undefined, acquisitions: 0 }));
  const drafts: (Draft | undefined)[] = planned.map(() => undefined);
  const turns = planned.flatMap((plan, index) => {
    const decide = {
      index,
      plan,
      time: plan.move.outcome === "known" ? (plan.effect ?? 0) : plan.invoked,
      takes: false,
    };
    const takes = { index, plan, time: plan.effect ?? 0, takes: true };
    return plan.move.outcome === "known" || plan.effect === undefined ? [decide] : [decide, takes];
  });
  turns.sort((left, right) => left.time - right.time || left.index - right.index);
  let lock: LockState = FREE;
  let fence = 0;
  const model = lockModel(options.reentrant ? "reentrant-fenced-mutex" : "fenced-mutex");
  for (const { index, plan, time, takes } of turns) {
    const belief = beliefs[plan.process]!;
    if (plan.move.choice >= 7) lock = expire(lock, time) ?? lock;
    if (takes) {
      const draft = drafts[index];
      if (draft !== undefined) lock = apply(model, lock, { ...draft, invoked: 0, completed: 0 }, time) ?? lock;
      continue;
    }
    const intent = intend(plan, belief, options);
    if (plan.move.outcome === "unknown") {
      drafts[index] = { ...intent, ...unknownEnd(intent) };
      belief.owner = undefined;
      continue;
    }
    if (intent.kind === "acquire") {
      const again = lock.holder === intent.owner && options.reentrant;
      const draft = { ...intent, fence: again ? lock.holdFence : fence + 1 };
      const after = apply(model, lock, { ...draft, invoked: 0, completed: 0 }, time);
      if (after === undefined) {
        drafts[index] = options.contention ? { ...intent, kind: "contended", owner: undefined } : undefined;
        continue;
      }
      if (!again) fence += 1;
      belief.owner = intent.owner;
      lock = after;
      drafts[index] = draft;
      continue;
    }
    const after = apply(model, lock, { ...intent, invoked: 0, completed: 0 }, time);
    if (intent.kind === "release") {
      drafts[index] = after === undefined ? { ...intent, kind: "miss" } : intent;
      if (after === undefined || after.holder === undefined) belief.owner = undefined;
    } else drafts[index] = after === undefined ? undefined : intent;
    lock = after ?? lock;
  }
  return drafts;
}

function intend({ move, process, invoked, completed }: Planned, belief: Belief, options: RandomHistoryOptions): Draft {
  const shared = {
    required: true,
    process,
    stranger: false,
    fence: undefined,
    invokedTime: invoked,
    completedTime: completed,
  };
  const leaseNs = move.lease;
  const validUntil = move.validity === undefined ? undefined : invoked + move.validity;
  if (belief.owner !== undefined && move.choice !== 0) {
    const kind = move.choice === 1 ? ("extend" as const) : ("release" as const);
    return { ...shared, kind, owner: belief.owner, leaseNs, ...(kind === "extend" ? { validUntil } : {}) };
  }
  const keeps = belief.owner !== undefined && options.reentrant;
  if (!keeps) belief.acquisitions += 1;
  const fresh = options.fixedOwners ? `p${process}` : `p${process}-${belief.acquisitions}`;
  return { ...shared, kind: "acquire", owner: keeps ? belief.owner : fresh, leaseNs, validUntil };
}

function unknownEnd(intent: Draft): Pick<Draft, "required" | "completedTime" | "owner" | "validUntil"> {
  return {
    required: false,
    validUntil: undefined,
    completedTime: Infinity,
    owner: intent.kind === "acquire" ? undefined : intent.owner,
  };
}

/** Falsifies an operation, as a broken lock would. */
function lied(draft: Draft | undefined, { lie }: Move, { contention }: RandomHistoryOptions): Draft | undefined {
  if (draft === undefined || !draft.required) return draft;
  if (lie === 0 && draft.kind === "release") return { ...draft, kind: "miss" };
  if (lie === 1 && draft.kind === "miss") return { ...draft, kind: "release" };
  if (lie === 2 && draft.kind === "acquire" && contention) return { ...draft, kind: "contended", owner: undefined };
  if (lie === 3 && draft.kind === "contended") return { ...draft, kind: "acquire", owner: "liar" };
  if (lie === 4 && draft.kind === "acquire") return { ...draft, leaseNs: 1000, validUntil: undefined };
  if (lie === 5 && draft.fence !== undefined) return { ...draft, fence: Math.max(1, draft.fence - 1) };
  if (lie === 6 && draft.kind === "release") return undefined;
  if (lie === 7 && draft.kind === "acquire") return undefined;
  if (lie === 8 && draft.kind === "release") return { ...draft, kind: "extend" };
  return draft;
}

/** Marks releases and extensions of owners that were never told of a grant. */
function withStrangers(operations: readonly LockOperation[]): readonly LockOperation[] {
  const granted = new Set(
    operations.flatMap(({ kind, required, owner }) => (kind === "acquire" && required ? [owner] : [])),
  );
  return operations.map((operation) => {
    const refers = operation.kind === "release" || operation.kind === "extend";
    return { ...operation, stranger: refers && !granted.has(operation.owner) };
  });
}

/** Gives each invocation and completion its place in the history. */
function numbered(drafts: readonly Draft[]): readonly LockOperation[] {
  const ends = drafts.flatMap((draft, index) => [
    { index, time: draft.invokedTime, order: index * 2 },
    ...(draft.required ? [{ index, time: draft.completedTime, order: index * 2 + 1 }] : []),
  ]);
  // Events of one process at one time keep their order; across processes the order is arbitrary.
  ends.sort((left, right) => left.time - right.time || left.order - right.order);
  const invoked = new Map<number, number>();
  const completed = new Map<number, number>();
  ends.forEach((end, position) => {
    if (!invoked.has(end.index)) invoked.set(end.index, position);
    else completed.set(end.index, position);
  });
  return drafts.map((draft, index) => ({
    ...draft,
    invoked: invoked.get(index)!,
    completed: completed.get(index) ?? Infinity,
  }));
}
