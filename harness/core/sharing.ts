import { z } from "zod";
import { PLAN_BOUNDS } from "./plan-bounds.ts";

/** What a driver supports beyond a lock that one client holds at a time. The harness asks for nothing else. */
export interface Supports {
  /** Counting semaphores: an acquire may state `limit` and `permits`. */
  readonly permits?: boolean;
  /** Read-write locks: an acquire may state its `mode`. */
  readonly modes?: boolean;
  /** Several keys in one acquisition: an acquire may state `alsoKeys`. */
  readonly severalKeys?: boolean;
  /**
   * First come, first served: waiting clients stand in a queue, and the lock says when they do (`onQueued`). Nothing else
   * is asked of such a lock than of others.
   */
  readonly fair?: boolean;
  /**
   * Several operations at a time within one client, as several requests of a process make them that share one lock object.
   * Without it, the harness calls one operation of a client at a time.
   */
  readonly concurrent?: boolean;
}

/** What is supported, as it is told: "the driver does not support ...". */
export const SUPPORT_WORDS: Readonly<Record<keyof Supports, string>> = {
  permits: "permits of a semaphore",
  modes: "the modes of a read-write lock",
  severalKeys: "several keys in one acquisition",
  fair: "a queue, first come, first served",
  concurrent: "several operations at a time within one client",
};

/** The fields of `Supports` in files and messages. */
export const supportsFields = {
  permits: z.boolean().default(false),
  modes: z.boolean().default(false),
  severalKeys: z.boolean().default(false),
  fair: z.boolean().default(false),
  concurrent: z.boolean().default(false),
};

/**
 * How an acquire shares its key with others. With a `limit`, the key is a semaphore with `limit` permits, of which this
 * acquire takes `permits` (default 1). With a `mode`, the key is a read-write lock: several clients may hold it `shared`
 * at the same time, only one may hold it `exclusive`. Without either, one owner holds the key at a time. With `alsoKeys`,
 * the acquire takes these keys besides its own, all or none, under one owner value; one release frees all of them.
 */
export interface Sharing {
  readonly limit?: number | undefined;
  readonly permits?: number | undefined;
  readonly mode?: "shared" | "exclusive" | undefined;
  readonly alsoKeys?: readonly string[] | undefined;
}

const permits = z.int().positive().max(PLAN_BOUNDS.permits);

/** The fields of `Sharing` in plans and histories. */
export const sharingFields = {
  limit: permits.optional(),
  permits: permits.optional(),
  mode: z.enum(["shared", "exclusive"]).optional(),
  alsoKeys: z.array(z.string().min(1).max(PLAN_BOUNDS.text)).min(1).max(PLAN_BOUNDS.alsoKeys).readonly().optional(),
};

/** What is wrong with a way to share, naming the key if it is given; undefined if nothing is wrong. */
export function sharingProblem({
  key,
  limit,
  permits,
  mode,
  alsoKeys = [],
}: Sharing & { readonly key?: string }): string | undefined {
  if (new Set([key, ...alsoKeys]).size <= alsoKeys.length) return "`alsoKeys` names a key twice";
  if (alsoKeys.length > 0 && (mode ?? limit ?? permits) !== undefined)
    return "`alsoKeys` is of a lock that one owner holds at a time: state no `mode`, `limit` or `permits`";
  if (mode !== undefined && (limit !== undefined || permits !== undefined))
    return "`mode` is of a read-write lock, `limit` and `permits` are of a semaphore: state one of the two";
  if (permits !== undefined && limit === undefined) return "`permits` needs a `limit`";
  if (permits !== undefined && limit !== undefined && permits > limit) return "`permits` is larger than `limit`";
  return undefined;
}

/** The first thing that an acquire asks for and the driver does not support; undefined if it supports everything. */
export function lacking(
  supports: Supports,
  { limit, permits, mode, alsoKeys }: Sharing,
): Exclude<keyof Supports, "fair" | "concurrent"> | undefined {
  if (alsoKeys !== undefined && supports.severalKeys !== true) return "severalKeys";
  if ((limit !== undefined || permits !== undefined) && supports.permits !== true) return "permits";
  return mode !== undefined && supports.modes !== true ? "modes" : undefined;
}

/** The fields that an acquire states, without those that are absent. */
export function statedSharing({ limit, permits, mode, alsoKeys }: Sharing): Sharing {
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(permits === undefined ? {} : { permits }),
    ...(mode === undefined ? {} : { mode }),
    ...(alsoKeys === undefined ? {} : { alsoKeys }),
  };
}

/** How a hold excludes others. */
export type Share =
  | { readonly kind: "exclusive" }
  | { readonly kind: "shared" }
  | { readonly kind: "counted"; readonly limit: number; readonly permits: number };

const EXCLUSIVE: Share = { kind: "exclusive" };
const SHARED: Share = { kind: "shared" };

export function shareOf({ limit, permits = 1, mode }: Sharing): Share {
  if (mode === "shared") return SHARED;
  return limit === undefined ? EXCLUSIVE : { kind: "counted", limit, permits };
}

/** Two holds that share in the same way have the same. */
export function nameOfShare(share: Share = EXCLUSIVE): string {
  return share.kind === "counted" ? `${share.permits} of ${share.limit}` : share.kind;
}

/**
 * What an owner certainly holds that was granted its key in these two ways, and may have either: what excludes others
 * less. Of two numbers of permits that is the smaller one.
 */
export function weaker(one: Share, other: Share): Share {
  if (one.kind === "exclusive") return other;
  if (one.kind === "shared" || other.kind !== "counted") return other.kind === "exclusive" ? one : SHARED;
  const [limit, permits] = [Math.max(one.limit, other.limit), Math.min(one.permits, other.permits)];
  return { kind: "counted", limit, permits };
}

/** Whether two holds exclude each other regardless of other holds. Semaphores exclude by their sum alone: `exceeds`. */
export function excludeEachOther(one: Share, other: Share): boolean {
  return one.kind === "exclusive" || other.kind === "exclusive";
}

/** Whether the one is a reader's and the other a writer's. */
export function isOtherMode(one: Share, other: Share): boolean {
  return one.kind !== other.kind && one.kind !== "counted" && other.kind !== "counted";
}

/** Whether a reader that is granted this as well becomes a writer. */
export function isUpgrade(from: Share, to: Share): boolean {
  return from.kind === "shared" && to.kind === "exclusive";
}

/** Whether these hold more permits at a time than the largest limit that any of them stated. */
export function exceeds(shares: readonly Share[]): boolean {
  const counted = shares.filter((share) => share.kind === "counted");
  return sumOf(counted) > Math.max(0, ...counted.map(({ limit }) => limit));
}

function sumOf(counted: readonly { readonly permits: number }[]): number {
  return counted.reduce((sum, { permits }) => sum + permits, 0);
}

/**
 * Whether an acquire fits beside these holds. If the lock refuses it all the same, these holds are not the reason.
 */
export function fits(share: Share, held: readonly Share[]): boolean {
  if (held.some((other) => excludeEachOther(share, other))) return false;
  return share.kind === "shared" || !exceeds([share, ...held]);
}
