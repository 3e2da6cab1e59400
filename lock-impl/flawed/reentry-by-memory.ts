import { reentrantLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, type Protocol } from "../parts/protocol.ts";
import { countedHash, generations } from "../parts/reentry.ts";

/** Enters again from memory, without asking the server whether it still holds. */
const fromMemory = {
  ...countedHash,
  async acquire(server, request) {
    if (!request.inner) return countedHash.acquire(server, request);
    return { type: "ok", value: { granted: true } };
  },
  async release(server, request) {
    return map(await countedHash.release(server, request), () => true);
  },
} satisfies Protocol;

export const reentryByMemory = specimen(reentrantLease, {
  name: "reentry-by-memory",
  flaw: "re-enters without asking the server, and its inner unlock releases the outer hold",
  shows: { property: "lease-exclusion", under: ["none"], cause: "foreign-release", source: "reentry-miscount" },
  load: fromParts({ protocol: fromMemory, ownHolds: generations }),
});
