import fc from "fast-check";
import { z } from "zod";
import { isSimulated } from "../harness/core/topology.ts";
import { defineFault } from "./define-fault.ts";
import { injectOnProcesses } from "./process-fault.ts";
import { anyClient, anyDataNodes, nodesToHit, resolveProcesses, targetsSchema } from "./targets.ts";

/**
 * All clocks of nodes or clients run too fast or too slow until it heals. Then they run at the right rate again, from
 * the time they show. Redlock allows for clocks that differ by 1 % (Redis documentation, Distributed Locks with Redis,
 * "clock drift").
 */
export const clockRate = defineFault({
  kind: "clock-rate",
  summary: "the clocks of nodes or clients run fast or slow",
  traits: { duration: "lasting", clock: "rate" },
  params: z.strictObject({ targets: targetsSchema, rate: z.number().min(0.1).max(10) }),
  onlyInSimulation: true,
  unsupportedReason: ({ kind }) =>
    isSimulated(kind) ? undefined : "only the simulation can change the rate of clocks",
  arbitrary: (topology, clients) =>
    fc.record({
      targets: fc.oneof(
        { weight: 3, arbitrary: anyDataNodes(topology) },
        anyClient(clients).map((client) => [client]),
      ),
      rate: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(1.05, 1.1, 1.25, 1.5, 2) },
        fc.constantFrom(0.95, 0.9, 0.8, 0.5),
      ),
    }),
  choices: ({ client, ...focus }) =>
    [1.25, 0.8, 2, 0.5].flatMap((rate) => [...nodesToHit(focus), [client]].map((targets) => ({ targets, rate }))),
  inject: async (system, { targets, rate }) => {
    const processes = await resolveProcesses(system, targets);
    if (processes.some((each) => each.setClockRate === undefined)) {
      return { targets, outcome: "skipped", evidence: "this backend cannot change the rate of clocks" };
    }
    const set = (to: number) => ({
      from: ["running", "paused", "dead"] as const,
      act: (process: (typeof processes)[number]) =>
        process.setClockRate?.(to) ?? Promise.resolve({ observed: false, detail: `${process.name} has no such clock` }),
    });
    return injectOnProcesses(processes, set(rate), set(1));
  },
});
