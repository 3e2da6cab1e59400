import { z } from "zod";

/**
 * The history format, version 1: JSON lines, a header and then one event a line. Times are integer nanoseconds since
 * the start of the run on a clock that no fault touches; `index` counts from 0 without a gap; times never decrease.
 * Fields that are not named here are kept as they are.
 */
export const HISTORY_FORMAT = "lockstorm-history";
export const HISTORY_VERSION = 1;

/** What a client can do: to the lock (`acquire`, `extend`, `release`, `observe`) or to the guarded resource. */
export const OPERATIONS = ["acquire", "extend", "release", "read", "write", "observe"] as const;
export type OperationName = (typeof OPERATIONS)[number];

const nanoseconds = z.int().nonnegative();
const milliseconds = z.number();
const owner = z.string().min(1);
const fence = z.int();
const key = z.string();
const position = z.int().nonnegative();

const invocationValues = {
  acquire: z.looseObject({ ttlMs: milliseconds.positive(), waitMs: milliseconds.nonnegative().optional() }),
  extend: z.looseObject({ owner, ttlMs: milliseconds.positive() }),
  release: z.looseObject({ owner }),
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
  /** Who holds, and for how long the key still lives (-1: for ever), where the lock can say so. */
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
 * A fault was injected or healed. `outcome` says whether its effect was seen: `installed` (seen, `evidence` says how),
 * `skipped` (not done), `indeterminate` (done, effect not seen). `processes` names the client processes it hit.
 * `f: "promotion"` is not injected: a replica was seen to become master.
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
export type FaultEvent = Known<z.infer<typeof faultSchema>>;
export type AuditEvent = Known<z.infer<typeof auditSchema>>;
export type HistoryEvent = ClientEvent | LostEvent | FaultEvent | AuditEvent;

/** An event before the recorder stamps it. */
export type Unstamped<E extends HistoryEvent = HistoryEvent> = E extends HistoryEvent
  ? Omit<E, "index" | "time">
  : never;

/** First line of a history: the format, then whatever the run knows about itself. `clients` is how many clients ran. */
export const historyHeaderSchema = z.looseObject({
  format: z.literal(HISTORY_FORMAT),
  version: z.int().positive(),
  clients: z.int().positive().optional(),
  lock: z.string().optional(),
  seed: z.int().optional(),
});
export type HistoryHeader = z.infer<typeof historyHeaderSchema>;

/** A whole history in memory. */
export interface History {
  readonly header: HistoryHeader;
  readonly events: readonly HistoryEvent[];
}

/**
 * The schema that an event with this `type` and `f` must satisfy, or undefined where there is no such event.
 * A direct look-up keeps error messages to the one shape that was meant.
 */
export function eventSchema(type: unknown, f: unknown): z.ZodType<HistoryEvent> | undefined {
  if (type === "lost") return lostSchema;
  if (type === "fault") return faultSchema;
  if (type === "audit") return auditSchema;
  const known = OPERATIONS.find((name) => name === f);
  if (known === undefined || (type !== "invoke" && type !== "ok" && type !== "fail" && type !== "info"))
    return undefined;
  return clientEventSchemas[known][type];
}
