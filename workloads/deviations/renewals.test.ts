import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { faultsFor } from "../../harness/campaign/possible-faults.ts";
import { recreatingKey } from "../../lock-impl/flawed/extend-recreates.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { withWatchdog } from "../../lock-impl/parts/renewing/watchdog.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { deadlinesOf } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { smallWorkloads } from "./workloads.ts";

/** How many of the cheapest stops of a client break the lock, in a workload of renewed leases. */
async function breaking(protocol: Protocol): Promise<number> {
  const topology = topologySchema.parse({ kind: "single" });
  // Its holder goes on, so that renewals come after the end of a lease.
  const driver = withWatchdog(composeLock({ protocol }), "aggressive");
  const options = { lock: "./mine.ts", topology, fencing: false, seed: 1, outlives: false };
  const skills = { extends: false, reenters: false, renews: true, tellsRenewals: true };
  const workload = smallWorkloads(options, skills).find(({ name }) => name === "renewed after another's hold");
  if (workload === undefined) throw new Error("there is no such workload");
  const { name, plan } = workload;
  const { history, messages } = await learnSimulated({ driver })(plan);
  const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
  const stops = deviationsOf(base, faultsFor(["pause-client"], "simulated", topology), { mostCost: 0 });
  const renewals = stops.filter(({ phase, sort }) => phase === "send" && sort.includes(" - "));
  let broken = 0;
  for (const stop of renewals.slice(0, TRIED)) {
    const { record } = await runSimulated(stop.apply(plan), { title: name, required: ["linearizability"], driver });
    if (record.verdict.verdict === "invalid") broken += 1;
  }
  return broken;
}

const TRIED = 3;

test("a renewal that is kept back until another client has held the lock finds it free, and must not take it", async () => {
  expect(await breaking(recreatingKey)).toBeGreaterThan(0);
  expect(await breaking(ownedKey)).toBe(0);
});
