import { topologyOf } from "../../../core/topologies/registry.ts";
import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { LEASE_MS, ms } from "../trial.ts";

/** Of each direction of each link. */
const LATENCY_MS = 40;
/** Redis counts in whole milliseconds. */
const ROUNDING_MS = 2;

/** A holder may trust its lease for no longer than the servers keep it. */
export const validity: ConformityCheck = {
  name: "validity",
  asks: "a grant is valid for no longer than the servers keep the lock",
  async run(trial) {
    const { system } = trial;
    const client = clientName(0);
    for (const node of await trial.masters()) {
      await system.network.delay({ from: client, to: node }, LATENCY_MS);
      await system.network.delay({ from: node, to: client }, LATENCY_MS);
    }
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    if (grant.validForMs === undefined) {
      trial.remark("grants have no validForMs: leases count from the invocation, for the whole ttlMs");
      return;
    }
    const untilMs = (grant.grantedAt ?? 0) / 1e6 + grant.validForMs;
    const left = [...(await trial.expiries())].sort((a, b) => b - a);
    const needed = topologyOf(system.topology.kind).arrangement === "independent" ? Math.floor(left.length / 2) + 1 : 1;
    const keptMs = left[needed - 1] ?? 0;
    if (keptMs === 0) return trial.skip("the servers have no key with an expiry to compare with");
    const tooLongMs = untilMs - (trial.nowMs + keptMs);
    if (tooLongMs <= ROUNDING_MS) return;
    trial.mistake(
      `the grant is valid for ${ms(tooLongMs)} longer than the servers keep the lock: validity counts from before the command was sent (validFromMs)`,
    );
  },
};
