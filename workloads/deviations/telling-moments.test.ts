import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import type { Grant, LockDriver } from "../../harness/core/lock-driver.ts";
import type { Property } from "../../harness/core/verdict.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import { faults } from "../../faults/registry.ts";
import { extendCountsFromReply } from "../../lock-impl/flawed/extend-counts-from-reply.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { type Base, type Deadlines, deadlinesOf, restsOnExtension } from "./base.ts";
import { countDeviations, deviationsOf, type RankedDeviation } from "./deviations-of.ts";
import { smallWorkloads, type WorkloadOptions } from "./workloads.ts";

interface Asked extends Partial<Pick<WorkloadOptions, "supports">> {
  readonly driver?: LockDriver;
  readonly kind?: TopologyKind;
  readonly lock?: string;
  readonly patienceMs?: number;
}

async function baseOf(
  named: string,
  { driver, kind = "single", lock = "single", patienceMs, supports }: Asked = {},
): Promise<Base> {
  const topology = topologySchema.parse({ kind });
  const workloads = smallWorkloads(
    { lock, topology, fencing: true, seed: 1, outlives: true, supports },
    { extends: true, reenters: false },
  );
  const { name, plan } = workloads.find((each) => each.name === named) ?? expect.unreachable();
  const { history, messages } = await learnSimulated({ driver })(plan);
  return { name, plan, history, messages, deadlines: deadlinesOf(plan, history, patienceMs) };
}

/** Whether one of these deviations breaks the lock. */
async function breaks(
  { plan }: Base,
  deviations: readonly RankedDeviation[],
  property: Property,
  driver: LockDriver,
): Promise<boolean> {
  expect(deviations.length).toBeGreaterThan(0);
  for (const deviation of deviations) {
    const { record } = await runSimulated(deviation.apply(plan), { title: deviation.at, required: [property], driver });
    if (record.verdict.verdict === "invalid") return true;
  }
  return false;
}

const only = (kind: string) => faults.filter((fault) => fault.kind === kind);

/** Client 0 has a lease of a second, extends it at 800 ms, and holds on; client 1 asks from 100 ms on. */
function extended({ again = false, untilMs = 1500, askedUntilMs = 2000 } = {}): Deadlines {
  const leases = [0, 801, ...(again ? [950] : [])].map((fromMs) => ({
    client: "client-0",
    fromMs,
    toMs: fromMs + 1000,
  }));
  return {
    leaseMs: 1000,
    leases,
    holds: [{ client: "client-0", key: "k1", fromMs: 1, toMs: untilMs }],
    requests: [{ client: "client-1", key: "k1", fromMs: 100, toMs: askedUntilMs, ttlMs: 1000 }],
  };
}

test("a hold rests on an extension if it goes on beyond the lease before, and somebody waits for the end of that", () => {
  const rests = (deadlines: Deadlines, client = "client-0") => restsOnExtension(deadlines, client, 800);
  expect(rests(extended())).toBe(true);
  expect(rests(extended(), "client-1")).toBe(false);
  expect(rests(extended({ untilMs: 990 }))).toBe(false);
  expect(rests(extended({ askedUntilMs: 900 }))).toBe(false);
  expect(rests(extended({ again: true }))).toBe(false);
});

test("the extension on which a hold rests is a sort of its own", async () => {
  const struck = async (name: string): Promise<ReadonlySet<string>> => {
    const resting = deviationsOf(await baseOf(name), faults).filter(({ sort }) =>
      sort.includes("on which a hold rests"),
    );
    return new Set(resting.map(({ point }) => point.replace(/.* (client-\d)'s \w+ (\d+) .*/, "$1 $2")));
  };
  expect(await struck("extended")).toEqual(new Set(["client-0 1"]));
  expect(await struck("extended twice, and then beyond the lease")).toEqual(new Set(["client-0 2"]));
  expect(await struck("extended after the lease")).toEqual(new Set());
  expect(await struck("in turn")).toEqual(new Set());
});

test("an extension that a majority does not hear of is tried as early as one that no server hears of", async () => {
  const base = await baseOf("extended", { kind: "redlock", lock: "redlock" });
  const least = (of: string, divides: boolean): number =>
    Math.min(
      ...deviationsOf(base, only("partition"))
        .filter(({ sort, dividesServers }) => sort.startsWith(`before first ${of} `) && dividesServers === divides)
        .map(({ cost }) => cost),
    );
  expect(least("extend", true)).toBe(least("extend", false));
  expect(least("release", true)).toBeGreaterThan(least("release", false));
});

test("a client is stopped at the reply that prolongs its lease, which it then counts from its waking", async () => {
  const driver = await extendCountsFromReply.load();
  const replies = async (lock: LockDriver) => {
    const base = await baseOf("extended twice, and then beyond the lease", { driver: lock });
    const stops = deviationsOf(base, only("pause-client"), { kinds: ["stop-client"], mostCost: 0 });
    return { base, stops: stops.filter(({ phase }) => phase === "reply") };
  };
  const flawed = await replies(driver);
  expect(flawed.stops.every(({ sort }) => sort.includes("extend"))).toBe(true);
  expect(await breaks(flawed.base, flawed.stops, "lease-exclusion", driver)).toBe(true);
  const sound = composeLock({ protocol: ownedKey });
  const kept = await replies(sound);
  expect(await breaks(kept.base, kept.stops, "lease-exclusion", sound)).toBe(false);
});

test("a connection breaks while another client is granted what its client has outlived, and nothing else strikes then", async () => {
  const base = await baseOf("beyond the lease");
  const beside = deviationsOf(base, faults).filter(({ sort }) => sort.includes("this one has outlived"));
  expect(new Set(beside.map(({ family }) => family.kind))).toEqual(new Set(["reset"]));
  expect(Math.min(...beside.map(({ cost }) => cost))).toBe(0);
  expect(new Set(beside.map(({ point }) => point))).toEqual(new Set(["at client-1's acquire:ok 1, of client-0"]));
  const [{ step } = expect.unreachable()] = beside;
  expect(step.at).toEqual({ on: "acquire:ok", client: 1, count: 1 });
  expect(step.params["between"]).toEqual([["client-0"], ["node-0"]]);
  expect(countDeviations(base, faults)).toBe(deviationsOf(base, faults).length);
  const inTurn = deviationsOf(await baseOf("in turn"), faults);
  expect(inTurn.filter(({ sort }) => sort.includes("this one has outlived"))).toEqual([]);
});

test("a reply that grants a lease is held until its client asks again as early as a request is held", async () => {
  const again = async (patienceMs?: number): Promise<readonly number[]> =>
    deviationsOf(await baseOf("in turn", patienceMs === undefined ? {} : { patienceMs }), only("latency"))
      .filter(({ sort }) => sort.includes("until its client asks again"))
      .map(({ cost }) => cost);
  expect(new Set(await again(300))).toEqual(new Set([0]));
  expect(await again()).toEqual([]);
});

/** Takes one key after the other, and counts their lease from the first or from the last of them. */
function oneByOne(countsFrom: "first" | "last"): LockDriver {
  return {
    supports: { severalKeys: true },
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      const taken = new Map<string, readonly Grant[]>();
      return {
        async acquire(key, { alsoKeys = [], ...asked }) {
          const grants: Grant[] = [];
          for (const each of [key, ...alsoKeys]) {
            const answer = await lock.acquire(each, asked);
            if (answer.type === "ok") grants.push(answer.value);
            else {
              for (const grant of grants) await lock.release(grant);
              return answer;
            }
          }
          const [first, last] = [grants[0], grants.at(-1)];
          if (first === undefined || last === undefined) throw new Error("no key was asked for");
          taken.set(first.owner, grants);
          return { type: "ok", value: { ...(countsFrom === "first" ? first : last), key, owner: first.owner } };
        },
        async release({ owner }) {
          const answers = [];
          for (const grant of taken.get(owner) ?? []) answers.push(await lock.release(grant));
          const released = answers.filter((answer) => answer.type === "ok" && answer.value.released).length;
          if (released !== 0 && released !== answers.length) return { type: "info", reason: "only some" };
          return { type: "ok", value: { released: released > 0 } };
        },
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
}

test("a further key is taken late, when a part of the lease of the first one is over, which another client waits for", async () => {
  const tried = async (driver: LockDriver): Promise<boolean> => {
    const base = await baseOf("several keys for a whole lease", { driver, supports: { severalKeys: true } });
    const late = deviationsOf(base, only("latency"), { kinds: ["hold-one-message"], mostCost: 0 }).filter(
      ({ sort }) => sort.startsWith("send") && sort.includes("of a further key"),
    );
    return breaks(base, late, "lease-exclusion", driver);
  };
  expect(await tried(oneByOne("last"))).toBe(true);
  expect(await tried(oneByOne("first"))).toBe(false);
});

test("a further key is of a sort of its own, which comes early, while another client asks for an earlier one without it", async () => {
  const secondOf = async (name: string) => {
    const base = await baseOf(name, { driver: oneByOne("first"), supports: { severalKeys: true } });
    const second = deviationsOf(base, only("latency")).filter(({ point }) => point.includes("client-0's SET 2 "));
    expect(second.every(({ sort }) => sort.includes("of a further key"))).toBe(true);
    const isWanted = second.some(({ sort }) =>
      sort.includes("while another client asks for an earlier one without it"),
    );
    return { isWanted, least: Math.min(...second.map(({ cost }) => cost)) };
  };
  expect(await secondOf("several keys for a whole lease")).toEqual({ isWanted: true, least: -3 });
  // Whoever asks for both keys is not granted them before both are free.
  expect(await secondOf("in turn, two keys in either order")).toEqual({ isWanted: false, least: 0 });
});

test("the connection of the first holder breaks before anything else does, if another client asks for what it holds", async () => {
  const costs = async (name: string): Promise<readonly number[]> => {
    const all = deviationsOf(await baseOf(name), only("reset"));
    const [beside, others] = [true, false].map((is) =>
      Math.min(
        ...all.filter(({ sort }) => sort.includes("asks for what this one holds") === is).map(({ cost }) => cost),
      ),
    );
    return [beside ?? expect.unreachable(), others ?? expect.unreachable()];
  };
  const [wanted = Infinity, others = 0] = await costs("in turn");
  expect(wanted).toBeLessThan(others);
  // The other one asks when it is free again.
  expect(await costs("many times")).toEqual([Infinity, 0]);
  const base = await baseOf("in turn");
  expect(countDeviations(base, faults)).toBe(deviationsOf(base, faults).length);
  const plans = deviationsOf(base, only("reset")).map(({ step }) => JSON.stringify(step));
  expect(new Set(plans).size).toBe(plans.length);
});

test("what only locks of several keys show comes before what others show, too", () => {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: true, seed: 1, outlives: true };
  const [first] = smallWorkloads({ ...options, supports: { severalKeys: true } }, { extends: false, reenters: false });
  expect(first?.plan.clients.some(({ sections }) => sections.some(({ alsoKeys }) => alsoKeys?.length === 2))).toBe(
    true,
  );
});
