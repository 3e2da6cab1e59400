import { quorumLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/** Two votes of five are enough: two clients can have two votes each. */
export const quorumOfTwo = specimen(quorumLease, {
  name: "quorum-of-two",
  flaw: "accepts two of five servers as a quorum: two clients can have two servers each",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "redis.io, Redlock" },
  load: fromParts({ ...redlockParts, quorum: () => 2 }),
});
