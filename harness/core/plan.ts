import { z } from "zod";
import { sharingFields, sharingProblem } from "./sharing.ts";
import { durationMs, lengthMs, PLAN_BOUNDS } from "./plan-bounds.ts";
import { topologySchema } from "./topology.ts";
import { triggerSchema } from "./trigger.ts";

export const PLAN_FORMAT = "lockstorm-plan";
export const PLAN_VERSION = 1;

/** How long a client waits between two tries of a section, in milliseconds. */
export const BETWEEN_TRIES_MS = 50;

/** A step of a holder between its acquire and its release, except re-entry. */
const plainStepSchema = z.discriminatedUnion("do", [
  /** Keep the lock for a while and do nothing. */
  z.strictObject({ do: z.literal("hold"), forMs: durationMs }),
  /** Read the guarded resource. Later writes name the position that was read as the one they are based on. */
  z.strictObject({ do: z.literal("read") }),
  /** Write to the guarded resource, with the grant's fencing token if it has one. */
  z.strictObject({ do: z.literal("write") }),
  /** Extend the lease. A driver that cannot extend skips the step. */
  z.strictObject({ do: z.literal("extend"), ttlMs: lengthMs }),
  /** Hold until a trigger happens, but no longer than `atMostMs`. */
  z.strictObject({ do: z.literal("await"), until: triggerSchema, atMostMs: durationMs }),
]);

const reentryFields = {
  do: z.literal("reenter"),
  ttlMs: lengthMs,
  /** Of a read-write lock: in which mode to acquire it again, if not in that of the section: a reader becomes a writer. */
  mode: sharingFields.mode,
  /** If false, the outer release gives up both. */
  release: z.boolean().default(true),
};

/** A re-entry within a re-entry: then the key is held three times over. */
const innerReentrySchema = z.strictObject({
  ...reentryFields,
  steps: z.array(plainStepSchema).max(PLAN_BOUNDS.steps),
});

/** Acquire the same key again while holding it, do the steps, release. A lock that is not reentrant refuses this. */
const reentrySchema = z.strictObject({
  ...reentryFields,
  steps: z.array(z.union([plainStepSchema, innerReentrySchema])).max(PLAN_BOUNDS.steps),
});

/**
 * Release before the section is over: its own hold, or once more the one that its task had before (`previous`; skipped if there
 * was none). A client that has released its own hold only waits, extends or releases from then on: what it asks for comes
 * too late, like a heartbeat that nobody stopped, or a release in a `finally` after an explicit one.
 */
const releaseSchema = z.strictObject({
  do: z.literal("release"),
  hold: z.enum(["own", "previous"]).default("own"),
});

const stepSchema = z.union([plainStepSchema, reentrySchema, releaseSchema]);
export type Step = z.infer<typeof stepSchema>;

/** What is left to do for a client that has released its hold. */
const STEPS_WITHOUT_HOLD: readonly Step["do"][] = ["hold", "await", "extend", "release"];

/** The first step that needs the hold although the section has released it; undefined if there is none. */
function stepWithoutHold(steps: readonly Step[]): Step | undefined {
  const released = steps.findIndex((step) => step.do === "release" && step.hold === "own");
  return released === -1 ? undefined : steps.slice(released).find((step) => !STEPS_WITHOUT_HOLD.includes(step.do));
}

/** Whether the step enters the lock again in a mode, or a step of its own does. */
function statesMode(step: Step): boolean {
  return step.do === "reenter" && (step.mode !== undefined || step.steps.some(statesMode));
}

/** One critical section of a client: acquire, the steps, release. A try that is not granted skips the steps. */
const sectionSchema = z
  .strictObject({
    key: z.string().min(1).max(PLAN_BOUNDS.text),
    ttlMs: lengthMs,
    /** How long the lock may wait for another holder; 0 means one try. */
    waitMs: durationMs,
    /**
     * For a counting semaphore: its `limit`, and how many `permits` to take. For a read-write lock: the `mode`. `alsoKeys`:
     * further keys of the same acquisition. Only for drivers that declare them in `supports`. A holder writes to the guarded
     * resource of `key`.
     */
    ...sharingFields,
    /**
     * The greatest number of tries, until one is granted. Each try is a separate operation, 50 ms after the previous one. So
     * a caller retries while its servers fail over and its lock reports errors.
     */
    tries: z.int().positive().max(PLAN_BOUNDS.tries).default(1),
    /**
     * Which task of its client does the section. The sections of a task run one after another; the tasks of a client run at the
     * same time, like requests of one process that share its lock object. Only for drivers that declare `concurrent` in `supports`.
     */
    task: z.int().nonnegative().lt(PLAN_BOUNDS.tasks).optional(),
    /** The section begins no earlier than this trigger. If absent, it begins at once. */
    after: triggerSchema.optional(),
    steps: z.array(stepSchema).max(PLAN_BOUNDS.steps),
    /**
     * If false, the client never releases, like a client that forgets the lock, which then expires. Where a step has released
     * the hold, this is the second release.
     */
    release: z.boolean().default(true),
  })
  .superRefine((section, context) => {
    const without = stepWithoutHold(section.steps);
    const isModeless = section.mode === undefined;
    const message =
      without !== undefined
        ? `a step \`${without.do}\` comes after the section's release`
        : isModeless && section.steps.some(statesMode)
          ? "a re-entry states a `mode`, and its section states none"
          : sharingProblem(section);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
export type Section = z.infer<typeof sectionSchema>;

const clientPlanSchema = z.strictObject({ sections: z.array(sectionSchema).max(PLAN_BOUNDS.sections) });
export type ClientPlan = z.infer<typeof clientPlanSchema>;

/** The sections of each task of a client, in the order of the numbers of the tasks; one empty list if there is no section. */
export function tasksOf({ sections }: ClientPlan): readonly (readonly Section[])[] {
  const tasks = Map.groupBy(sections, ({ task = 0 }) => task);
  if (tasks.size === 0) return [[]];
  return [...tasks].toSorted(([one], [other]) => one - other).map(([, ofTask]) => ofTask);
}

/** One fault of the schedule. The fault of that `kind` defines its `params`. */
const faultStepSchema = z.strictObject({
  kind: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  at: triggerSchema,
  /** When it is healed. If absent, it is healed at the end of the run. */
  until: triggerSchema.optional(),
});
export type FaultStep = z.infer<typeof faultStepSchema>;

/**
 * A run described as data, in plain JSON. Plans are generated, shrunk, saved, replayed and compared. In simulation the plan
 * determines the run bit for bit; on containers it determines everything except the timing.
 */
export const planSchema = z.strictObject({
  format: z.literal(PLAN_FORMAT),
  version: z.literal(PLAN_VERSION),
  /** Determines everything that a run draws at random: owner values in simulation, network jitter, retry jitter. */
  seed: z.int(),
  /** Name of a registered lock, or the path of a driver module. */
  lock: z.string().max(PLAN_BOUNDS.text),
  topology: topologySchema,
  /**
   * What the guarded resource checks. `fencing`: the fencing token. `versions`: a write that names the position it is
   * based on must be based on the last one (compare and set). With neither, it accepts every write.
   */
  resource: z
    .strictObject({ fencing: z.boolean(), versions: z.boolean().default(false) })
    .default({ fencing: true, versions: false }),
  clients: z.array(clientPlanSchema).min(1).max(PLAN_BOUNDS.clients),
  faults: z.array(faultStepSchema).max(PLAN_BOUNDS.faults),
  /** The run ends at the latest after this time, in milliseconds on the true clock: at most a day. */
  limitMs: lengthMs.default(30_000),
});
export type Plan = z.infer<typeof planSchema>;
/** What the guarded resource checks of a write. */
export type ResourceChecks = Plan["resource"];
/** A plan as a user writes it: defaults may be left out. */
export type PlanInput = z.input<typeof planSchema>;
