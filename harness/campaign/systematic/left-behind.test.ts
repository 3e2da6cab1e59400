import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "./learn.ts";
import { topologySchema } from "../../core/topology.ts";
import type { FaultStep } from "../../core/plan.ts";
import { type Base, deadlinesOf } from "../../../workloads/deviations/base.ts";
import { smallWorkloads } from "../../../workloads/deviations/workloads.ts";
import { believedOtherwise, grantedBySome, type Seen, toldOtherwise } from "./left-behind.ts";

/** A run of a workload with this fault, which is over when it has struck. */
async function seen(kind: "single" | "redlock", named: string, fault?: FaultStep): Promise<Seen> {
  const topology = topologySchema.parse({ kind });
  const options = { lock: kind, topology, fencing: false, seed: 1, outlives: true };
  const workloads = smallWorkloads(options, { extends: true, reenters: false });
  const { name, plan } = workloads.find((each) => each.name === named) ?? expect.unreachable();
  const learn = learnSimulated();
  const undisturbed = await learn(plan);
  const base: Base = { name, plan, ...undisturbed, deadlines: deadlinesOf(plan, undisturbed.history) };
  const disturbed = { ...plan, faults: fault === undefined ? [] : [fault] };
  const { history, messages } = await learn(disturbed);
  const overNs = Math.max(0, ...history.events.flatMap(({ type, time }) => (type === "fault" ? [time] : [])));
  return { base, plan: disturbed, history, messages, overNs };
}

/** What is lost, at the k-th message with this command of the first client. */
function lost(moment: "send" | "after", command: string, count: number, servers: readonly string[]): FaultStep {
  const at = { moment, command, client: 0, count, server: servers[0] };
  return { kind: "reset", params: { between: [["client-0"], [...servers]] }, at };
}

test("a client that does not know whether it has extended begins pairs, although every server answers as before", async () => {
  const named = "extended twice, and then beyond the lease";
  const run = await seen("single", named, lost("after", "EVAL", 1, ["node-0"]));
  expect(toldOtherwise.leftBy(run)).toBeUndefined();
  const { name, struck, fromNs } = believedOtherwise.leftBy(run) ?? expect.unreachable();
  expect(name).toBe(`${named}: 0 extend 1 info`);
  expect(struck.length).toBeGreaterThan(0);
  expect(struck.every(({ client, sentNs }) => client === 0 && sentNs > fromNs)).toBe(true);
  expect(believedOtherwise.leftBy(await seen("single", named))).toBeUndefined();
});

test("a grant by three of five servers begins pairs, one by all of them does not", async () => {
  const run = await seen("redlock", "extended", lost("send", "SET", 1, ["node-0", "node-1"]));
  const { name, struck, fromNs } = grantedBySome.leftBy(run) ?? expect.unreachable();
  expect(name).toBe("extended: 0 acquire 1 without 2");
  expect(struck.some(({ sentNs }) => sentNs > fromNs)).toBe(true);
  expect(grantedBySome.leftBy(await seen("redlock", "extended"))).toBeUndefined();
});
