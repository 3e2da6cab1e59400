import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { isOne, map, ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { scriptOf } from "../../lock-impl/parts/scripts.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { faults } from "../../faults/registry.ts";
import { deadlinesOf } from "./base.ts";
import { deathAt } from "./death.ts";
import { strikePointsOf } from "./strike-points.ts";
import { smallWorkloads } from "./workloads.ts";

const EXTENDED = "extended many times, and left behind";
const ENTERED = "entered again, and left behind";
const NAME = "left behind by the second holder, and waited for long";
const topology = topologySchema.parse({ kind: "single" });

/** The workloads of a lock, if clients may die by these faults. */
function workloadsOf(lock: string, { among = faults, extending = false, entering = false } = {}) {
  const options = { lock, topology, fencing: true, seed: 1, outlives: true };
  return smallWorkloads(
    { ...options, deathBy: (death) => deathAt(topology, among, death) },
    { extends: extending, reenters: entering },
  );
}

/** The workloads in whose run the lock does not become free. */
async function stuck(
  driver: LockDriver,
  options: { readonly extending?: boolean; readonly entering?: boolean },
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, plan } of workloadsOf("./mine.ts", options)) {
    const { record } = await runSimulated(plan, { title: name, required: ["deadlock-freedom"], driver });
    if (record.verdict.verdict === "invalid") names.push(name);
  }
  return names;
}

/** A lock of which one client asks once, and then waits for a message that never comes. */
const deafThird: LockDriver = {
  async connect(environment) {
    const lock = await composeLock({ protocol: ownedKey }).connect(environment);
    if (environment.client !== "client-2") return lock;
    return {
      async acquire(key, asked) {
        const answer = await lock.acquire(key, { ...asked, waitMs: 0 });
        if (answer.type !== "ok") await new Promise((resolve) => setTimeout(resolve, asked.waitMs));
        return answer;
      },
      release: (grant) => lock.release(grant),
      [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
    };
  },
};

test("a client dies at its first grant only by a fault that ends clients, and then in one workload", () => {
  const deadly = workloadsOf("./mine.ts").filter(({ plan }) => plan.faults.length > 0);
  expect(deadly.map(({ name, plan }) => [name, plan.faults])).toEqual([
    [NAME, [{ kind: "kill-client", params: { targets: ["client-1"] }, at: { on: "acquire:ok", client: 1, count: 1 } }]],
  ]);
  const others = faults.filter(({ traits }) => traits.kills !== "client");
  const names = workloadsOf("./mine.ts", { among: others, extending: true, entering: true }).map(({ name }) => name);
  expect(names).not.toContain(NAME);
  expect(names).not.toContain(EXTENDED);
  expect(names).not.toContain(ENTERED);
});

test(
  "a client waits until it gives up for a message, while what a dead one has left behind is over",
  { tags: "long" },
  async () => {
    expect(await stuck(deafThird, { extending: false })).toEqual([NAME]);
    expect(await stuck(composeLock({ protocol: ownedKey }), { extending: false })).toEqual([]);
  },
);

const addedScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms.
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  -- The bug: what was left of the lease is added to the new one.
  return redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]) + ARGV[2])`);

test("a lease grows with each extension, and its holder dies", { tags: "long" }, async () => {
  const adding: Protocol = {
    ...ownedKey,
    extend: async (server, { key, owner, ttlMs }) => map(await server.run(addedScript, [key], owner, ttlMs), isOne),
  };
  expect(await stuck(composeLock({ protocol: adding }), { extending: true })).toEqual([EXTENDED]);
  expect(await stuck(composeLock({ protocol: ownedKey }), { extending: true })).toEqual([]);
  const [plan] = workloadsOf("./mine.ts", { extending: true }).filter(({ name }) => name === EXTENDED);
  const sound = await runSimulated(plan?.plan ?? expect.unreachable(), {
    title: EXTENDED,
    required: ["deadlock-freedom"],
    driver: composeLock({ protocol: ownedKey }),
  });
  expect(sound.record.verdict.verdict).toBe("valid");
  expect(plan?.plan.faults).toEqual([
    { kind: "kill-client", params: { targets: ["client-0"] }, at: { on: "extend:ok", client: 0, count: 8 } },
  ]);
});

/** One client's holds and entries, whose count is written back with its lease or without. */
function counted(lease: "kept" | "forgotten"): LockDriver {
  const enterScript = scriptOf(`
    -- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms.
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    redis.call('SET', KEYS[1], ARGV[1]${lease === "kept" ? ", 'PX', ARGV[2]" : ""})
    return 1`);
  return {
    async connect(environment) {
      let owner: string | undefined;
      let entries = 0;
      const protocol: Protocol = {
        ...ownedKey,
        async acquire(server, request) {
          if (owner === undefined) {
            const answer = await ownedKey.acquire(server, request);
            if (answer.type === "ok" && answer.value.granted) owner = request.owner;
            return answer;
          }
          const entered = map(await server.run(enterScript, [request.key], owner, request.ttlMs), isOne);
          return map(entered, (granted) => ({ granted }));
        },
      };
      const lock = await composeLock({ protocol }).connect(environment);
      return {
        async acquire(key, asked) {
          const answer = await lock.acquire(key, asked);
          if (answer.type !== "ok" || owner === undefined) return answer;
          entries += 1;
          return { ...answer, value: { ...answer.value, owner } };
        },
        async release(grant) {
          entries -= 1;
          if (entries > 0) return { type: "ok", value: { released: true } };
          owner = undefined;
          return lock.release(grant);
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
}

test("an inner entry forgets the lease, and its client dies", { tags: "long" }, async () => {
  expect(await stuck(counted("forgotten"), { entering: true })).toContain(ENTERED);
  expect(await stuck(counted("kept"), { entering: true })).toEqual([]);
});

/** A script is told by its hash. */
const withoutHash = (sort: string): string => sort.replace(/[0-9a-f]{40}/, "EVAL");

test("of a lock that renews, a release before another one's holder dies is of a sort of its own", async () => {
  const sorts = async (lock: string) => {
    const { name, plan } = workloadsOf(lock).find((each) => each.name === NAME) ?? expect.unreachable();
    const { history, messages } = await learnSimulated()(plan);
    const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
    const apart = points.filter(({ sort }) => sort.endsWith(", before a holder dies"));
    // Few workloads have such a release, and come late among all.
    expect(apart.every(({ rank }) => rank < 0)).toBe(true);
    return [...new Set(apart.map(({ client, sort }) => `${client} ${withoutHash(sort)}`))];
  };
  const phases = ["before", "after", "send", "reply"];
  expect(await sorts("watchdog")).toEqual(
    phases.map((phase) => `client-0 ${phase} first release EVAL, before a holder dies`),
  );
  expect(await sorts("set-px")).toEqual([]);
});
