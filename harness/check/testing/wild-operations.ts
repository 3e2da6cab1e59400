import fc from "fast-check";
import type { LockOperation } from "../linearizability/lock-models.ts";

export interface WildOptions {
  /** The leases that acquires and extensions have, in the unit of time of the histories. */
  readonly leases: readonly number[];
  /** One owner value for each operation, or this many in all. */
  readonly owners: number | undefined;
}

/** Operations at random, of no lock at all: nearly half of the histories can be explained nevertheless. */
export function wildOperations({ leases, owners }: WildOptions): fc.Arbitrary<readonly LockOperation[]> {
  const operation = fc.record({
    kind: fc.oneof(
      { weight: 9, arbitrary: fc.constant("acquire" as const) },
      { weight: 9, arbitrary: fc.constant("release" as const) },
      { weight: 2, arbitrary: fc.constantFrom("extend" as const, "contended" as const, "miss" as const) },
    ),
    required: fc.integer({ min: 0, max: 5 }).map((chance) => chance > 0),
    gap: fc.nat({ max: 3 }),
    duration: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 4 }) }, { weight: 1, arbitrary: fc.nat({ max: 20 }) }),
    lease: fc.constantFrom(...leases),
    validFor: fc.option(fc.nat({ max: 14 }), { freq: 2, nil: undefined }),
    owner: fc.nat({ max: (owners ?? 1) - 1 }),
  });
  const drafts = fc.array(operation, { minLength: 1, maxLength: 14, size: "max" });
  return fc.tuple(drafts, fc.boolean()).map(([moves, reportsValidity]) => {
    let clock = 0;
    const timed = moves.map((move, process) => {
      clock += move.gap;
      const { kind } = move;
      const required = move.required || kind === "contended" || kind === "miss";
      const lasts = kind === "acquire" || kind === "extend";
      const nobody = kind === "contended" || (kind === "acquire" && !required);
      return {
        kind,
        required,
        process,
        owner: nobody ? undefined : `o${owners === undefined ? process : move.owner}`,
        stranger: false,
        fence: undefined,
        invokedTime: clock,
        completedTime: required ? clock + move.duration : Infinity,
        leaseNs: lasts ? move.lease : 0,
        validUntil:
          reportsValidity && required && lasts && move.validFor !== undefined ? clock + move.validFor : undefined,
      };
    });
    return placed(timed);
  });
}

/** Gives each invocation and completion its place: in the order of time, at one time invocations first. */
function placed(drafts: readonly Omit<LockOperation, "invoked" | "completed">[]): readonly LockOperation[] {
  const ends = drafts.flatMap(({ invokedTime, completedTime }, index) => [
    { index, time: invokedTime, isEnd: false },
    { index, time: completedTime, isEnd: true },
  ]);
  const order = ends
    .filter(({ time }) => time < Infinity)
    .toSorted((one, other) => one.time - other.time || Number(one.isEnd) - Number(other.isEnd));
  const places = new Map(order.map(({ index, isEnd }, place) => [`${index} ${isEnd}`, place]));
  return drafts.map((draft, index) => ({
    ...draft,
    invoked: places.get(`${index} false`)!,
    completed: places.get(`${index} true`) ?? Infinity,
  }));
}
