import { z } from "zod";
import { sharingFields, sharingProblem } from "../core/sharing.ts";

/**
 * The history format, version 2: JSON lines, a header, one event a line, and the end marker. Times are integer
 * nanoseconds since the start of the run on a clock that no fault touches; `index` counts from 0 without a gap; times
 * never decrease. Fields that are not named here are kept as they are. Version 1, which is still read, has no end marker.
 */
export const HISTORY_FORMAT = "lockstorm-history";
export const HISTORY_VERSION = 2;
/** From this version on a history ends with its end marker; one without it lost its end. */
const MARKED_SINCE = 2;

/** Times of a history are in nanoseconds; times of locks and plans are in milliseconds. */
export const NANOSECONDS_PER_MS = 1e6;

/** What a client can do: to the lock (`acquire`, `extend`, `release`, `observe`) or to the guarded resource. */
export const OPERATIONS = ["acquire", "extend", "release", "read", "write", "observe"] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** The reason of an `info` completion when the driver's answer was invalid: `detail` says what is wrong with it. */
export const INVALID_ANSWER = "invalid-answer";

/** The reason of a `fail` completion of an acquire of several keys: somebody held one of them. */
export const ONE_OF_SEVERAL = "contended-one-of-several";

/** Clocks that differ by more than an hour say nothing of the order of anything. */
const LARGEST_UNCERTAINTY_MS = 3_600_000;

const nanoseconds = z.int().nonnegative();
const milliseconds = z.number();
const owner = z.string().min(1);
const fence = z.int();
const key = z.string();
const position = z.int().nonnegative();
/**
 * The client was told before that it has released the lock under this owner value, as often as it was granted it, and has not
 * been granted it since.
 */
const again = z.boolean().optional();

const invocationValues = {
  acquire: z
    .looseObject({
      ttlMs: milliseconds.positive(),
      waitMs: milliseconds.nonnegative().optional(),
      /** The client holds the key already, as far as it knows, and enters once more. */
      inner: z.boolean().optional(),
      /** How many may hold beside it, if not nobody, and what the same acquisition takes besides this key. */
      ...sharingFields,
    })
    .superRefine((value, context) => {
      const message = sharingProblem(value);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    }),
  extend: z.looseObject({ owner, ttlMs: milliseconds.positive(), again }),
  release: z.looseObject({ owner, again }),
  write: z.looseObject({
    owner: owner.optional(),
    fence: fence.optional(),
    data: z.string(),
    basedOn: position.optional(),
  }),
  read: z.looseObject({}).optional(),
  observe: z.looseObject({}).optional(),
};

const okValues = {
  acquire: z.looseObject({
    owner,
    fence: fence.optional(),
    place: z.string().optional(),
    validForMs: milliseconds.optional(),
    grantedAt: nanoseconds.optional(),
  }),
  extend: z.looseObject({
    owner,
    fence: fence.optional(),
    place: z.string().optional(),
    validForMs: milliseconds.optional(),
    grantedAt: nanoseconds.optional(),
  }),
  release: z.looseObject({ released: z.boolean() }),
  write: z.looseObject({ position }),
  read: z.looseObject({ position }),
  /** Who holds, and for how long the key still lives (-1: for ever), if the lock can say so. */
  observe: z.looseObject({ owner: owner.optional(), pttlMs: z.number().optional() }).optional(),
};

const stamp = { index: z.int().nonnegative(), time: nanoseconds };
const clientProcess = z.int().nonnegative();

function clientEvent<F extends OperationName>(f: F) {
  const shared = { ...stamp, process: clientProcess, f: z.literal(f), key };
  const reason = z.looseObject({ reason: z.string().optional() }).optional();
  return {
    invoke: z.looseObject({ ...shared, type: z.literal("invoke"), value: invocationValues[f] }),
    ok: z.looseObject({ ...shared, type: z.literal("ok"), value: okValues[f] }),
    fail: z.looseObject({ ...shared, type: z.literal("fail"), value: reason }),
    info: z.looseObject({ ...shared, type: z.literal("info"), value: reason }),
  };
}

/** The client was told that its lease is gone. It follows no invocation. */
const lostSchema = z.looseObject({
  ...stamp,
  process: clientProcess,
  type: z.literal("lost"),
  f: z.literal("lease"),
  key,
  value: z.looseObject({ owner }),
});

/**
 * The client was told that the lock itself prolonged its lease: for `validForMs` from `grantedAt` on, or else from this
 * event. It follows no invocation.
 */
const renewedSchema = z.looseObject({
  ...stamp,
  process: clientProcess,
  type: z.literal("renewed"),
  f: z.literal("lease"),
  key,
  value: z.looseObject({ owner, validForMs: milliseconds, grantedAt: nanoseconds.optional() }),
});

/**
 * The lock told the client that it stands in the queue for the key, first come, first served. It lies between the
 * invocation and the completion of the acquire that waits.
 */
const queuedSchema = z.looseObject({
  ...stamp,
  process: clientProcess,
  type: z.literal("queued"),
  f: z.literal("queue"),
  key,
  value: z.looseObject({}).optional(),
});

/**
 * A fault was injected or healed. `outcome` says whether its effect was seen: `installed` (seen, `evidence` says how),
 * `skipped` (not done), `indeterminate` (done, effect not seen). `processes` names the client processes it hit. `step`
 * is its position in the plan's list of faults. Two kinds are seen and not injected: `f: "promotion"`, a replica became
 * master; `f: "client-crash"`, a lock ended its client's process, and `stack` names the places in the code.
 */
const faultSchema = z.looseObject({
  ...stamp,
  process: z.literal("nemesis"),
  type: z.literal("fault"),
  f: z.string(),
  value: z.looseObject({
    phase: z.enum(["start", "heal"]),
    targets: z.array(z.string()),
    outcome: z.enum(["installed", "skipped", "indeterminate"]),
    evidence: z.string().optional(),
    processes: z.array(clientProcess).optional(),
    step: z.int().nonnegative().optional(),
    byMs: z.number().optional(),
    stack: z.array(z.string()).optional(),
  }),
});

/** One write that reached the guarded resource, in the order in which the resource applied or refused them. */
const auditSchema = z.looseObject({
  ...stamp,
  process: z.literal("storage"),
  type: z.literal("audit"),
  f: z.literal("write").optional(),
  key,
  value: z.looseObject({
    position,
    owner: owner.optional(),
    fence: fence.optional(),
    data: z.string(),
    accepted: z.boolean(),
    basedOn: position.optional(),
  }),
});

/**
 * How a run ended. `completed`: every client finished. `limit`: the plan's time ran out first, or, with a `reason`,
 * something else did. `interrupted`: somebody
 * stopped the run. `failed`: the harness could not continue.
 */
const RUN_ENDS = ["completed", "limit", "interrupted", "failed"] as const;
export type RunEnd = (typeof RUN_ENDS)[number];

/**
 * The end marker, the last line of a history: its `index` is the number of events. `at` is when the clients were
 * stopped, before faults were healed and writes collected; `sections` counts the critical sections of the plan and
 * those of them that had ended by then, granted or not.
 */
export const endMarkerSchema = z.looseObject({
  ...stamp,
  process: z.literal("harness"),
  type: z.literal("end"),
  value: z.looseObject({
    run: z.enum(RUN_ENDS),
    at: nanoseconds,
    sections: z.looseObject({ planned: z.int().nonnegative(), done: z.int().nonnegative() }).optional(),
    reason: z.string().optional(),
  }),
});

/**
 * Something outside the plan, which may explain what follows. `freeze`: a target did not run from `from` to `to`
 * (nanoseconds since the start), and no fault had stopped it. `lasts`: it was still frozen when the run was over.
 */
const noticeSchema = z.looseObject({
  ...stamp,
  process: z.literal("harness"),
  type: z.literal("notice"),
  f: z.literal("freeze"),
  value: z.looseObject({
    targets: z.array(z.string()),
    from: nanoseconds,
    to: nanoseconds,
    evidence: z.string(),
    lasts: z.boolean().optional(),
    processes: z.array(clientProcess).optional(),
  }),
});

const clientEventSchemas = {
  acquire: clientEvent("acquire"),
  extend: clientEvent("extend"),
  release: clientEvent("release"),
  read: clientEvent("read"),
  write: clientEvent("write"),
  observe: clientEvent("observe"),
};

/** `T` without the index signatures of loose objects, which would make every name a known one. */
type Known<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> }
    : T;

type ClientEventOf<F extends OperationName> = Known<
  z.infer<(typeof clientEventSchemas)[F][keyof (typeof clientEventSchemas)[F]]>
>;

/** Invocations and completions of client processes, discriminated by `f` and `type`. */
export type ClientEvent = { [F in OperationName]: ClientEventOf<F> }[OperationName];
export type LostEvent = Known<z.infer<typeof lostSchema>>;
export type RenewedEvent = Known<z.infer<typeof renewedSchema>>;
export type QueuedEvent = Known<z.infer<typeof queuedSchema>>;
export type FaultEvent = Known<z.infer<typeof faultSchema>>;
export type AuditEvent = Known<z.infer<typeof auditSchema>>;
export type NoticeEvent = Known<z.infer<typeof noticeSchema>>;
export type HistoryEvent = ClientEvent | LostEvent | RenewedEvent | QueuedEvent | FaultEvent | AuditEvent | NoticeEvent;
/** The end marker. It is no event: nothing in the system under test happened. */
export type EndMarker = Known<z.infer<typeof endMarkerSchema>>;

/** An event before the recorder stamps it. */
export type Unstamped<E extends HistoryEvent = HistoryEvent> = E extends HistoryEvent
  ? Omit<E, "index" | "time">
  : never;

/**
 * First line of a history: the format, then facts about the run. `clients` is how many clients ran, `tasks` how many tasks of
 * each worked at a time, if not one. `reentrant` says whether an acquire by an owner that holds the key enters once more, also
 * where it does not state `inner`. `clockUncertaintyMs` is by how much the clocks by which the times were recorded may differ at
 * any moment; it and `tasks` need `clients`.
 */
export const historyHeaderSchema = z
  .looseObject({
    format: z.literal(HISTORY_FORMAT),
    version: z.int().positive(),
    clients: z.int().positive().optional(),
    tasks: z.array(z.int().positive()).readonly().optional(),
    lock: z.string().optional(),
    seed: z.int().optional(),
    reentrant: z.boolean().optional(),
    clockUncertaintyMs: milliseconds.nonnegative().max(LARGEST_UNCERTAINTY_MS).optional(),
  })
  .refine(({ clockUncertaintyMs = 0, clients }) => clockUncertaintyMs === 0 || clients !== undefined, {
    path: ["clockUncertaintyMs"],
    message: "it needs `clients`, the number of clients",
  })
  .refine(({ tasks, clients }) => tasks === undefined || tasks.length === clients, {
    path: ["tasks"],
    message: "it needs one number for each of `clients`",
  });
export type HistoryHeader = z.infer<typeof historyHeaderSchema>;

/** What is known of the end of a history. */
export interface HistoryEnd {
  /** Absent where there is none: the history is of version 1, comes from elsewhere, or lost its end. */
  readonly end?: EndMarker | undefined;
  /** The number of the last line, where it is cut off in the middle. */
  readonly cutLine?: number | undefined;
}

/** A whole history in memory. */
export interface History extends HistoryEnd {
  readonly header: HistoryHeader;
  readonly events: readonly HistoryEvent[];
}

/** Whether a history of this header should end with an end marker. */
export function isMarked({ version }: HistoryHeader): boolean {
  return version >= MARKED_SINCE;
}

/**
 * The schema that an event with this `type` and `f` must satisfy, or undefined where there is no such event.
 * A direct look-up keeps error messages to the one shape that was meant.
 */
export function eventSchema(type: unknown, f: unknown): z.ZodType<HistoryEvent> | undefined {
  if (type === "lost") return lostSchema;
  if (type === "renewed") return renewedSchema;
  if (type === "queued") return queuedSchema;
  if (type === "fault") return faultSchema;
  if (type === "audit") return auditSchema;
  if (type === "notice") return noticeSchema;
  const known = OPERATIONS.find((name) => name === f);
  if (known === undefined || (type !== "invoke" && type !== "ok" && type !== "fail" && type !== "info"))
    return undefined;
  return clientEventSchemas[known][type];
}
