import type { InjectedFault } from "../harness/core/fault.ts";
import type { SystemUnderTest } from "../harness/core/system.ts";
import { combine } from "./define-fault.ts";
import { Disturbances, type Disturbance } from "./disturbances.ts";
import { endsOf, resolveEdges, type Between } from "./edges.ts";

/** Disturbs each of a fault's edges in the same way, and removes the disturbance on healing. */
export async function injectOnEdges(
  system: SystemUnderTest,
  between: Between,
  disturbance: Disturbance,
): Promise<InjectedFault> {
  const edges = await resolveEdges(system, between);
  const disturbances = Disturbances.of(system);
  return {
    targets: endsOf(edges),
    ...combine(await Promise.all(edges.map((edge) => disturbances.add(edge, disturbance)))),
    heal: async () => combine(await Promise.all(edges.map((edge) => disturbances.remove(edge, disturbance)))),
  };
}
