import { z } from "zod";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import type { ResidualRisk } from "../../core/statistics/residual-risk.ts";
import { recurrenceSchema } from "../../core/recurrence.ts";
import { NOTE_KINDS } from "../../core/run-note.ts";
import type { TalliedNote } from "../notes/tally.ts";
import type { Shard } from "../campaign-journal.ts";

const position = z.int().nonnegative().describe("index of the run from 0: regressions first, then generated plans");

const noteSchema = z.strictObject({ kind: z.enum(NOTE_KINDS), what: z.string() });

/** A plan that was run, or the counterexample that ends a hunt, shrunk and kept. */
export const huntEntrySchema = z.discriminatedUnion("verdict", [
  z.strictObject({
    position,
    verdict: z.enum(["valid", "unknown"]),
    notes: z.array(noteSchema).readonly().exactOptional(),
    held: z.array(z.enum(PROPERTIES)).readonly().exactOptional().describe("properties that decide, and were valid"),
    open: z
      .array(z.enum(PROPERTIES))
      .readonly()
      .exactOptional()
      .describe("properties that decide, and were not decided"),
    orders: z.array(z.string()).readonly().exactOptional().describe("what the run of a random plan showed"),
    folder: z.string().exactOptional().describe("of a run that was kept, from the folder of results"),
  }),
  z.strictObject({
    position,
    verdict: z.literal("invalid"),
    shrinks: z.int().nonnegative(),
    path: z.string().exactOptional().describe("the path that reproduces the run; absent for a regression"),
    recurrence: recurrenceSchema.exactOptional(),
    folder: z.string().describe("the run's, from the folder of results"),
  }),
]);
export type HuntEntry = z.infer<typeof huntEntrySchema>;

/** Everything that decides the outcome of a hunt. Unknown fields are compared, but not interpreted. */
export const huntParametersSchema = z.looseObject({
  lock: z.string(),
  topology: z.looseObject({ kind: z.string() }),
  faults: z.array(z.string()),
  seed: z.int().nonnegative(),
  runs: z.int().positive(),
  shrinkRuns: z.int().nonnegative(),
  /** Digests of the plans that broke the lock before. */
  regressions: z.array(z.string()),
  /** What a run should test: see `promisedProperties`. Absent in journals of before. */
  promised: z.array(z.enum(PROPERTIES)).readonly().exactOptional(),
});
export type HuntParameters = z.infer<typeof huntParametersSchema>;

/** How many plans a hunt, or a shard of it, should run when it finds nothing. */
export function wantedPositions({ regressions, runs }: HuntParameters, shard: Shard | undefined): number {
  const total = regressions.length + runs;
  return shard === undefined ? total : Math.max(0, Math.ceil((total - shard.index + 1) / shard.count));
}

/** In how many runs of a hunt a property that decides was valid. */
interface HeldProperty {
  readonly property: Property;
  readonly runs: number;
}

/** The outcome of a hunt, in one store or merged from several. */
export interface HuntFindings {
  readonly parameters: HuntParameters;
  readonly runs: number;
  readonly valid: number;
  /** Runs, without those under whose faults the lock promises nothing. */
  readonly unknown: number;
  /** Runs under whose faults the lock promises nothing. */
  readonly unpromised: number;
  /**
   * Of the unknown runs: those that leave nothing open but what the lock did, which crashed its client or flooded a server. Each
   * is a finding, with its plan.
   */
  readonly crashedOrFlooded: number;
  /** Why runs are unknown, and observations beside the properties that decide. */
  readonly notes: readonly TalliedNote[];
  /** For each property that decided and was valid in a run: in how many. In the order of properties. */
  readonly held: readonly HeldProperty[];
  /** How many of the runs were of regressions. */
  readonly repeated: number;
  /** Regressions that held, and broke nothing else than what a client did that outlived its lease. */
  readonly fixed: number;
  /** Plans that should have been run and were not, although no counterexample made them unnecessary. */
  readonly missing: number;
  /** What the hunt leaves open; absent with a counterexample, and when no plan was drawn at random. */
  readonly residualRisk?: ResidualRisk | undefined;
  readonly counterexample?: Extract<HuntEntry, { verdict: "invalid" }> | undefined;
}
