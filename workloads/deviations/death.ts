import type { Fault } from "../../harness/core/fault.ts";
import type { FaultStep } from "../../harness/core/plan.ts";
import { clientName, type TopologySpec } from "../../harness/core/topology.ts";
import { familiesOf, hostsHit } from "./families.ts";

/** The first of these faults that ends a client, as it strikes when that client is granted the lock for the first time. */
export function deathAtGrant(topology: TopologySpec, faults: readonly Fault[], index: number): FaultStep | undefined {
  const client = clientName(index);
  const focus = { topology, clients: index + 1, client, servers: [], leaseMs: 1 };
  const [death] = faults
    .filter(({ traits }) => traits.kills === "client")
    .flatMap((fault) => familiesOf(fault, focus))
    .filter(({ params }) => hostsHit(params).join() === client);
  return death?.stepAt({ on: "acquire:ok", client: index, count: 1 });
}
