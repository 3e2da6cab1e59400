import { z } from "zod";
import { type Supports, supportsFields } from "../core/sharing.ts";

/** The longest granularity that leaves leases of a sensible length. */
const MOST_GRANULARITY_MS = 60_000;

/**
 * What a worker says that its lock can do. It decides which plans are drawn: nobody is asked for what it cannot do. All
 * fields may be left out, and so may the whole.
 */
export const capabilitiesSchema = z
  .object({
    /** `same`: an extension always gives the lease its first length again. */
    extend: z.enum(["none", "same", "any"]).default("none"),
    /** Leases are whole multiples of this many milliseconds. */
    ttlGranularityMs: z.int().positive().max(MOST_GRANULARITY_MS).default(1),
    /** Whether a holder may acquire again what it holds. */
    reentrant: z.boolean().default(false),
    /** Whether its grants carry a fencing token. */
    fence: z.boolean().default(false),
    /** Whether `acquire` can wait for another holder. */
    waits: z.boolean().default(false),
    /** What the lock can do beyond being held by one client at a time. */
    supports: z.object(supportsFields).optional(),
  })
  .nullish()
  .transform((stated) => stated ?? NOTHING);

/** What a lock can do, as plans need to know it. */
export interface Capabilities {
  readonly extend: "none" | "same" | "any";
  readonly ttlGranularityMs: number;
  readonly reentrant: boolean;
  readonly fence: boolean;
  readonly waits: boolean;
  readonly supports?: Supports | undefined;
}

const NOTHING: Capabilities = { extend: "none", ttlGranularityMs: 1, reentrant: false, fence: false, waits: false };
