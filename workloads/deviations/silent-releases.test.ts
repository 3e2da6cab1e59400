import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { skillsOf } from "../../harness/campaign/systematic/systematic-plans.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { faults } from "../../faults/registry.ts";
import { fenceSecondCommand } from "../../lock-impl/flawed/fence-second-command.ts";
import { deadlinesOf } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { strikePointsOf } from "./strike-points.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });
const NAME = "asked for again and again";

/** A lock that draws the fencing token in a second command; if silent, its releases report no result. */
async function lateTokens(isSilent: boolean): Promise<LockDriver> {
  const driver = await fenceSecondCommand.load();
  return {
    async connect(environment) {
      const lock = await driver.connect(environment);
      return {
        acquire: lock.acquire.bind(lock),
        async release(grant) {
          const released = await lock.release(grant);
          return isSilent ? { type: "info", reason: "it reports no result" } : released;
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
}

/** The workloads for what the lock can do. */
async function workloadsFor(driver: LockDriver) {
  const drawnFrom = { lock: "./mine.ts", topology, faults: [], maxHoldShare: 2 };
  const skills = await skillsOf({ drawnFrom, seed: 1, learn: learnSimulated({ driver }) });
  return smallWorkloads({ lock: "single", topology, fencing: true, seed: 1, outlives: true }, skills);
}

test("only a lock whose releases report no result is asked for again and again", async () => {
  const names = async (isSilent: boolean) => (await workloadsFor(await lateTokens(isSilent))).map(({ name }) => name);
  expect(await names(false)).not.toContain(NAME);
  expect(await names(true)).toEqual([...(await names(false)), NAME]);
});

test("what is done between the two commands while another one asks again and again is of a sort of its own", async () => {
  const driver = await lateTokens(true);
  const { name, plan } = (await workloadsFor(driver)).find((each) => each.name === NAME) ?? expect.unreachable();
  const { history, messages } = await learnSimulated({ driver })(plan);
  const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
  const tokens = points.filter(({ sort }) => sort.includes("acquire INCR"));
  const apart = tokens.filter(({ sort }) => sort.endsWith(", while another one asks again and again"));
  expect(new Set(tokens.map(({ client }) => client))).toEqual(new Set(["client-0", "client-1"]));
  expect(new Set(apart.map(({ client }) => client))).toEqual(new Set(["client-0"]));
});

test("a fencing token that overtakes shows though no release proves who held", { tags: "long" }, async () => {
  const driver = await lateTokens(true);
  const showing: string[] = [];
  for (const { name, plan } of await workloadsFor(driver)) {
    const { history, messages } = await learnSimulated({ driver })(plan);
    const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
    const [beyondTheLease] = deviationsOf(base, faults, { kinds: ["hold-message"] }).filter(
      ({ sort, phase }) => phase === "before" && sort.includes("first acquire INCR"),
    );
    if (beyondTheLease === undefined) continue;
    const run = { title: name, required: ["fencing-tokens" as const], driver };
    const { record } = await runSimulated(beyondTheLease.apply(plan), run);
    if (record.verdict.verdict === "invalid") showing.push(name);
  }
  expect(showing).toEqual([NAME]);
});
