import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { faults } from "../../faults/registry.ts";
import { deadlinesOf } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });

/** Who is struck, by what kind of deviation, at another one's release, in a workload. */
async function struckBesideReleases(workload: string): Promise<readonly string[]> {
  const workloads = smallWorkloads(
    { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: true },
    { extends: false, reenters: false },
  );
  const { name, plan } = workloads.find((each) => each.name === workload) ?? expect.unreachable();
  const { history, messages } = await learnSimulated({ driver: composeLock({ protocol: ownedKey }) })(plan);
  const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
  const beside = deviationsOf(base, faults).filter(({ sort }) => sort.includes("while another one releases"));
  return [...new Set(beside.map(({ kind, point }) => `${kind} ${point}`))];
}

test("the connection of a client that waits for long breaks when another one releases, and may miss the message of it", async () => {
  expect(await struckBesideReleases("waited for long")).toEqual([
    "lose-message at client-0's release:invoke 1, of client-1",
  ]);
});

test("that of a client that asks anew soon does not", async () => {
  expect(await struckBesideReleases("waited for by two from one moment on")).toEqual([]);
});
