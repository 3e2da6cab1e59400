import { semaphoreOfLeases, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import type { Protocol } from "../parts/protocol.ts";
import { countedPermits } from "../parts/shared-leases.ts";

/** Counts the permits in one command and takes them in another: several clients see the same last permit. */
const checkedBefore = {
  ...countedPermits,
  async acquire(server, request) {
    const { limit = 1, permits = 1 } = request.sharing ?? {};
    const taken = await server.command("ZCARD", request.key);
    if (taken.type !== "ok") return taken;
    if (Number(taken.value) + permits > limit) return { type: "ok", value: { granted: false } };
    return countedPermits.acquire(server, { ...request, sharing: { permits, limit: Number.MAX_SAFE_INTEGER } });
  },
} satisfies Protocol;

export const semaphoreCheckThenAdd = specimen(semaphoreOfLeases, {
  name: "semaphore-check-then-add",
  flaw: "a semaphore counts its holders in one command and adds one in the next",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "check then act" },
  load: fromParts({ protocol: checkedBefore, supports: { permits: true } }),
});
