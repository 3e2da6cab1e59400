import { z } from "zod";
import { topologySchema } from "./topology.ts";
import { triggerSchema } from "./trigger.ts";

export const PLAN_FORMAT = "lockstorm-plan";
export const PLAN_VERSION = 1;

const durationMs = z.number().nonnegative();

/** What a holder does between its acquire and its release, but for entering again. */
const plainStepSchema = z.discriminatedUnion("do", [
  /** Keep the lock for a while and do nothing. */
  z.strictObject({ do: z.literal("hold"), forMs: durationMs }),
  /** Read the guarded resource: the writes that follow say which position they are based on. */
  z.strictObject({ do: z.literal("read") }),
  /** Write to the guarded resource, with the grant's fencing token if it has one. */
  z.strictObject({ do: z.literal("write") }),
  /** Extend the lease. A driver that cannot extend skips the step. */
  z.strictObject({ do: z.literal("extend"), ttlMs: z.number().positive() }),
  /** Hold until something happens elsewhere, but no longer than `atMostMs`. */
  z.strictObject({ do: z.literal("await"), until: triggerSchema, atMostMs: durationMs }),
]);

/** Acquire the same key again while holding it, do the steps, release. A lock that is not reentrant refuses. */
const reentrySchema = z.strictObject({
  do: z.literal("reenter"),
  ttlMs: z.number().positive(),
  steps: z.array(plainStepSchema),
  /** False leaves the outer release to give up both. */
  release: z.boolean().default(true),
});

const stepSchema = z.union([plainStepSchema, reentrySchema]);
export type Step = z.infer<typeof stepSchema>;

/** One critical section of a client: acquire, the steps, release. A try that is not granted skips the steps. */
const sectionSchema = z.strictObject({
  key: z.string().min(1),
  ttlMs: z.number().positive(),
  /** How long the lock may wait for another holder; 0 means one try. */
  waitMs: durationMs,
  /**
   * How often the client tries in all while it is not granted. Each try is an operation of its own, 50 ms after the
   * last: what a caller does whose lock reports errors while its servers fail over.
   */
  tries: z.int().positive().default(1),
  /** The section does not begin before this. Absent: at once. */
  after: triggerSchema.optional(),
  steps: z.array(stepSchema),
  /** False leaves the lock to expire, as a client does that forgets. */
  release: z.boolean().default(true),
});
export type Section = z.infer<typeof sectionSchema>;

const clientPlanSchema = z.strictObject({ sections: z.array(sectionSchema) });
export type ClientPlan = z.infer<typeof clientPlanSchema>;

/** One fault of the schedule. `params` are read by the fault of that `kind`. */
const faultStepSchema = z.strictObject({
  kind: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  at: triggerSchema,
  /** When it is healed. Absent: at the end of the run. */
  until: triggerSchema.optional(),
});
export type FaultStep = z.infer<typeof faultStepSchema>;

/**
 * Everything that happens in a run, as data: generated, shrunk, saved, replayed, compared. Plain JSON.
 * In simulation the plan determines the run bit for bit; on containers it determines all but the timing.
 */
export const planSchema = z.strictObject({
  format: z.literal(PLAN_FORMAT),
  version: z.literal(PLAN_VERSION),
  /** Whatever a run draws at random (owner values in simulation, network jitter, retry jitter) comes from it. */
  seed: z.int(),
  /** Name of a registered lock, or the path of a driver module. */
  lock: z.string(),
  topology: topologySchema,
  /**
   * What the guarded resource checks: the fencing token, and with `versions` that a write which says on what position it
   * is based is based on the last one (compare and set). With neither it takes every write.
   */
  resource: z
    .strictObject({ fencing: z.boolean(), versions: z.boolean().default(false) })
    .default({ fencing: true, versions: false }),
  clients: z.array(clientPlanSchema).min(1).max(64),
  faults: z.array(faultStepSchema),
  /** The run ends at the latest after this long, in milliseconds of true time. */
  limitMs: z.number().positive().default(30_000),
});
export type Plan = z.infer<typeof planSchema>;
/** What the guarded resource checks of a write. */
export type ResourceChecks = Plan["resource"];
/** A plan as somebody writes it, defaults left out. */
export type PlanInput = z.input<typeof planSchema>;
