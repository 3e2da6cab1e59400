import { z } from "zod";
import type { Verdict } from "../../core/verdict.ts";
import type { Shard } from "../../run/campaign-journal.ts";

const position = z.int().nonnegative().describe("regressions come first, then generated plans, counted from 0");

/** A plan that was run, or the counterexample with which a hunt ends, shrunk and kept. */
export const huntEntrySchema = z.discriminatedUnion("verdict", [
  z.strictObject({ position, verdict: z.enum(["valid", "unknown"]) }),
  z.strictObject({
    position,
    verdict: z.literal("invalid"),
    shrinks: z.int().nonnegative(),
    path: z.string().exactOptional().describe("what leads here again; absent for a regression"),
    folder: z.string().describe("the run's, from the folder of results"),
  }),
]);
export type HuntEntry = z.infer<typeof huntEntrySchema>;

/** What the outcome of a hunt depends on; further ones are compared, and not understood. */
export const huntParametersSchema = z.looseObject({
  lock: z.string(),
  topology: z.looseObject({ kind: z.string() }),
  faults: z.array(z.string()),
  seed: z.int().nonnegative(),
  runs: z.int().positive(),
  shrinkRuns: z.int().nonnegative(),
  /** Digests of the plans that broke the lock before. */
  regressions: z.array(z.string()),
});
export type HuntParameters = z.infer<typeof huntParametersSchema>;

/** How many plans a hunt, or a shard of it, should run when it finds nothing. */
export function wantedPositions({ regressions, runs }: HuntParameters, shard: Shard | undefined): number {
  const total = regressions.length + runs;
  return shard === undefined ? total : Math.max(0, Math.ceil((total - shard.index + 1) / shard.count));
}

/** What came of a hunt, in one store or gathered from several. */
export interface HuntFindings {
  readonly parameters: HuntParameters;
  readonly runs: number;
  readonly valid: number;
  readonly unknown: number;
  /** Regressions that held. */
  readonly fixed: number;
  /** Plans that should have been run and were not, and no counterexample made them needless. */
  readonly missing: number;
  readonly counterexample?: Extract<HuntEntry, { verdict: "invalid" }>;
}

/**
 * What the entries of a whole hunt, or of all its shards, tell: the first counterexample counts, by position, and what
 * lies before it. That is where the hunt would have ended in one piece.
 * @param wanted how many plans there should be
 */
export function findingsOf(parameters: HuntParameters, entries: readonly HuntEntry[], wanted: number): HuntFindings {
  const inOrder = [...new Map(entries.map((entry) => [entry.position, entry])).values()].toSorted(
    (one, other) => one.position - other.position,
  );
  const broken = inOrder.find((entry) => entry.verdict === "invalid");
  const counted = inOrder.filter((entry) => broken === undefined || entry.position <= broken.position);
  const count = (verdict: Verdict["verdict"]): number => counted.filter((entry) => entry.verdict === verdict).length;
  return {
    parameters,
    runs: counted.length,
    valid: count("valid"),
    unknown: count("unknown"),
    fixed: counted.filter((entry) => entry.verdict === "valid" && entry.position < parameters.regressions.length)
      .length,
    missing: broken === undefined ? wanted - counted.length : 0,
    ...(broken === undefined ? {} : { counterexample: broken }),
  };
}
