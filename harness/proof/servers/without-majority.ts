import { listed } from "../../core/listed.ts";
import type { WireRecord } from "../../core/messages/wire-record.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { Hypothesis, Violation } from "../../core/verdict.ts";
import type { GrantEvents } from "../../history/operations.ts";
import type { JudgedRun } from "../changed-run.ts";
import { clientNumber } from "../same-in-another-run.ts";
import { grantsIn } from "../victims.ts";
import { isShared } from "./seen-on-server.ts";

/**
 * The hypothesis with what is amiss if one of the two grants of an overlap had no majority of independent servers behind it: until the
 * grant was reported, half of them or fewer ever held the owner's value. Undefined where the record does not show it: where
 * owner values are known to the driver only, where a key lists several owners, of which a record keeps only the first, or something
 * was left out.
 *
 * @param proven the hypothesis that is proven: it is another matter unless that says that the lock granted the key twice
 * @param wire what the servers held in the same run
 */
export function withoutMajority(
  { plan, history }: JudgedRun,
  violation: Violation,
  proven: Hypothesis,
  wire: WireRecord | undefined,
): Hypothesis | undefined {
  if (proven.cause !== "double-grant" || proven.ground.on !== "rest" || wire === undefined) return undefined;
  const { arrangement, dataNodes } = topologyOf(plan.topology.kind);
  if (arrangement !== "independent" || wire.leftOut > 0 || isShared(history)) return undefined;
  for (const grant of grantsIn(violation, history)) {
    const servers = serversBehind(grant, wire);
    if (servers.length === 0 || servers.length * 2 > dataNodes) continue;
    const client = `client-${clientNumber(grant, history)}`;
    const { orElse: _, ...alone } = proven;
    const only = `only ${listed(servers)}, of ${dataNodes} servers, held it for that client`;
    return { ...alone, why: `the lock granted it to ${client} without a majority: ${only}` };
  }
  return undefined;
}

/** The servers that held the owner's value of a grant under its key at some moment until the grant was reported. */
function serversBehind(grant: GrantEvents["completion"], { keys }: WireRecord): readonly string[] {
  const held = keys.filter(
    ({ key, value, atNs }) =>
      atNs <= grant.time && key.includes(grant.key) && value?.includes(grant.value.owner) === true,
  );
  return [...new Set(held.map(({ server }) => server))].sort();
}
