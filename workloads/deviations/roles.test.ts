import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { faults } from "../../faults/registry.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import { type Plan, type PlanInput, planSchema } from "../../harness/core/plan.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { type Base, deadlinesOf } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { rolesIn } from "./roles.ts";
import { smallWorkloads } from "./workloads.ts";

async function baseOf(workload: string): Promise<Base> {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "reentrant", topology, fencing: true, seed: 1, outlives: true };
  const { name, plan } = smallWorkloads(options, { extends: false, reenters: true }).find(
    (each) => each.name === workload,
  ) ?? { name: "", plan: undefined };
  if (plan === undefined) throw new Error(`there is no workload "${workload}"`);
  const { history, messages } = await learnSimulated()(plan);
  return { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
}

function planOf(sections: PlanInput["clients"][number]["sections"]): Plan {
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "reentrant",
    topology: { kind: "single" },
    resource: { fencing: false },
    clients: [{ sections }],
    faults: [],
    limitMs: 30_000,
  });
}

const sortsOf = (base: Base, client: string): ReadonlySet<string> =>
  new Set(
    deviationsOf(
      base,
      faults.filter(({ kind }) => kind === "pause-client"),
    )
      .filter(({ step }) => JSON.stringify(step.params).includes(client))
      // Without what is said of the hold.
      .map(({ sort }) => sort.replace(/,.*/, "")),
  );

test("what leaves an inner hold is no sort with what ends a hold, nor is entering again one with acquiring", async () => {
  const sorts = [...sortsOf(await baseOf("entered again"), "client-0")].filter((sort) => sort.startsWith("send"));
  const of = (operation: string) => sorts.filter((sort) => sort.startsWith(`send first ${operation} `));
  expect([of("acquire"), of("inner acquire"), of("release"), of("inner release")].map(({ length }) => length)).toEqual([
    1, 1, 1, 1,
  ]);
});

test("what strikes a third client is of the sorts that strike a second one", async () => {
  const base = await baseOf("waited for by two from one moment on");
  expect(sortsOf(base, "client-2")).toEqual(sortsOf(base, "client-1"));
  expect(sortsOf(base, "client-0")).not.toEqual(sortsOf(base, "client-1"));
});

test("what one task of a client does after another one has entered again is not inner", () => {
  const section = { key: "k", ttlMs: 1000, waitMs: 0, steps: [] };
  const plan = planOf([section, { ...section, task: 1 }]);
  const history = new Recording({ clients: 1 })
    .seek(0, 0)
    .seek(0, 1)
    .granted(1, 0, "a")
    .granted(1, 1, "b")
    .seek(2, 0, { inner: true })
    .granted(3, 0, "a")
    .seekExtension(4, 0, "a", 1000)
    .info(5, 0, "extend")
    .release(6, 1, "b")
    .release(7, 2, "a")
    .release(8, 2, "a").history;
  const { ofOperation } = rolesIn(plan, history);
  const named = history.events.flatMap(({ type, index }) => (type === "invoke" ? [ofOperation(index)] : []));
  expect(named).toEqual(["acquire", "acquire", "inner acquire", "extend", "release", "inner release", "release"]);
});
