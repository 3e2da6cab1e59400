import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { topologies } from "../../harness/core/topologies/registry.ts";
import { failover } from "../../faults/failover.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { deadlinesOf } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { smallWorkloads, type Workload } from "./workloads.ts";

const driver = composeLock({ protocol: ownedKey });
const NAME = "in turn, until a former master has been told";

/** The workloads on a topology, in which no client outlives its lease by itself. */
function workloadsOn(kind: string): readonly Workload[] {
  const topology = topologySchema.parse({ kind });
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false };
  return smallWorkloads(options, { extends: false, reenters: false });
}

test("only where a replica can take over, clients go on until a former master has been told", () => {
  const having = topologies
    .map(({ kind }) => kind)
    .filter((kind) => workloadsOn(kind).some(({ name }) => name === NAME));
  expect(having).toEqual(["sentinel"]);
});

test("what a former master granted is lost while a client holds and another one asks", { tags: "long" }, async () => {
  const showing: string[] = [];
  for (const { name, plan, isCalm } of workloadsOn("sentinel")) {
    if (isCalm === true) continue;
    const { history, messages } = await learnSimulated({ driver })(plan);
    const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
    const [atTheFirstGrant] = deviationsOf(base, [failover], {}).filter(({ phase }) => phase === "after");
    const run = { title: name, required: ["lease-exclusion" as const], driver };
    const { record } = await runSimulated((atTheFirstGrant ?? expect.unreachable()).apply(plan), run);
    if (record.verdict.verdict === "invalid") showing.push(name);
  }
  expect(showing).toEqual([NAME]);
});
