import { z } from "zod";
import type { Servers } from "../core/lock-driver.ts";
import type { Sharing } from "../core/sharing.ts";
import { capabilitiesSchema } from "./capabilities.ts";

/** The version of the protocol between lockstorm and a worker: docs/protocol.md. */
export const PROTOCOL_VERSION = 1;

/** No message of a worker's is longer; what is longer is a flood. */
export const LONGEST_LINE = 65_536;

/** The first line that a worker reads: either it becomes a client, or it only says what its lock can do. */
export type FirstMessage =
  | {
      readonly protocol: typeof PROTOCOL_VERSION;
      readonly client: string;
      /** The reading of CLOCK_MONOTONIC, nanoseconds as decimal digits, from which all `grantedAt` count. */
      readonly origin: string;
      readonly servers: Servers;
    }
  | { readonly protocol: typeof PROTOCOL_VERSION; readonly describe: true };

/** What a worker is asked for, after the first line. */
export type WorkerRequest =
  | AcquireRequest
  | { readonly op: "extend"; readonly key: string; readonly owner: string; readonly ttlMs: number }
  | { readonly op: "release"; readonly key: string; readonly owner: string }
  | { readonly op: "clock" };

/** `limit`, `permits`, `mode` and `alsoKeys` come only to a lock that supports them. */
interface AcquireRequest extends Sharing {
  readonly op: "acquire";
  readonly key: string;
  readonly ttlMs: number;
  readonly waitMs: number;
}

export const readySchema = z.union([
  z.object({ ready: z.literal(true), capabilities: capabilitiesSchema }),
  z.object({ ready: z.literal(false), reason: z.string() }),
]);

const name = z.string().min(1).max(4096);
/** Milliseconds for which a lease was really granted; a lock that promises nothing says 0. */
const validForMs = z.number().nonnegative();
/** Nanoseconds since `origin`, at the latest before the request was sent to the servers that the lease counts from. */
const grantedAt = z.number().nonnegative();

/** The answer to `acquire` and to `extend`. */
export const grantedSchema = z.object({
  owner: name,
  fence: z.int().optional(),
  place: name.optional(),
  /** Absent: the lock has no leases. */
  validForMs: validForMs.optional(),
  grantedAt,
});
/** The answer to `release`. */
export const releasedSchema = z.object({ released: z.boolean() });
/** The answer to `clock`. */
export const clockSchema = z.object({ wallMs: z.number(), monotonicNs: z.string().regex(/^\d{1,19}$/) });
/** An answer that is not ok. */
export const failedSchema = z.object({
  ok: z.literal(false),
  kind: z.enum(["contended", "error", "indeterminate", "unsupported"]),
  reason: z.string().default(""),
});
export type Failed = z.infer<typeof failedSchema>;

/** What a worker says: an answer, or something that it noticed by itself. */
export const messageSchema = z.union([
  z.looseObject({ id: z.int(), ok: z.boolean() }),
  z.object({ event: z.literal("lost"), key: name, owner: name }),
  z.object({ event: z.literal("renewed"), key: name, owner: name, validForMs, grantedAt }),
  z.object({ event: z.literal("queued"), key: name }),
  z.object({ closed: z.literal(true) }),
]);
export type WorkerMessage = z.infer<typeof messageSchema>;
