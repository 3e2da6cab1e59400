import fc from "fast-check";
import { z } from "zod";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyDataNodes, areClients, nodesToHit, resolveProcesses, targetsSchema } from "./targets.ts";

/** Ten years: within this range the arithmetic of every server is right. */
const MOST_MS = 10 * 365 * 86_400_000;

/**
 * The wall clock of nodes or clients steps. Redis judges expiry by the server's wall clock, so a forward step ends
 * leases early (Redis documentation, EXPIRE, "Expires and time accuracy"; Kleppmann 2016). The step stays.
 */
export const clockJump = defineFault({
  kind: "clock-jump",
  summary: "the wall clock of nodes or clients steps forward or back",
  traits: {
    duration: "instant",
    clock: "step",
    jepsen: { start: ["bump-clock", "strobe-clock"], heal: ["reset-clock"] },
  },
  // A lock whose leases end by its servers' clocks alone does not notice.
  milder: { traits: { clock: "step-of-clients" }, applies: ({ targets }) => areClients(targets) },
  params: z.strictObject({ targets: targetsSchema, byMs: z.int().min(-MOST_MS).max(MOST_MS) }),
  arbitrary: (topology) =>
    fc.record({
      targets: anyDataNodes(topology),
      byMs: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 100, max: 60_000 }) },
        fc.integer({ min: -60_000, max: -100 }),
      ),
    }),
  // Past the end of the lease, back by more than it, and by less than it both ways.
  choices: ({ client, leaseMs, ...focus }) =>
    [1.2, -1.2, 0.5, -0.5].flatMap((share) =>
      [...nodesToHit(focus), [client]].map((targets) => ({ targets, byMs: Math.round(share * leaseMs) })),
    ),
  inject: async (system, { targets, byMs }) =>
    injectOnProcesses(await resolveProcesses(system, targets), {
      // A stopped process cannot say what time it is.
      from: ["running"],
      act: (process) => process.jumpClock(byMs),
    }),
});
