import type { Fault } from "../../harness/core/fault.ts";
import type { FaultStep } from "../../harness/core/plan.ts";
import { clientName, type TopologySpec } from "../../harness/core/topology.ts";
import { familiesOf } from "./families.ts";
import type { Death } from "./shape.ts";

/** The first of these faults that ends a client, as it strikes at an event of that client. */
export function deathAt(
  topology: TopologySpec,
  faults: readonly Fault[],
  { client: index, on, count }: Death,
): FaultStep | undefined {
  const client = clientName(index);
  const focus = { topology, clients: index + 1, client, servers: [], leaseMs: 1 };
  const [death] = faults
    .filter(({ traits }) => traits.kills === "client")
    .flatMap((fault) => familiesOf(fault, focus))
    .filter(({ hosts }) => hosts.join() === client);
  return death?.stepAt({ on, client: index, count });
}
