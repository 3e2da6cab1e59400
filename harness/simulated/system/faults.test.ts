import { describe, expect, test } from "vitest";
import type { FaultEvent } from "../../history/history.ts";
import { planSchema, type Plan, type PlanInput } from "../../core/plan.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import { judge, runSimulated, type SimulatedRun } from "./testing/simulated-run.ts";

const { faults } = await import("../../../faults/registry.ts");
const { contentionPlans } = await import("../../../workloads/contention.ts");
const { topologySchema } = await import("../../core/topology.ts");
const fc = (await import("fast-check")).default;

type Sections = PlanInput["clients"][number]["sections"];

/** A plan of two clients that want the same key; the second begins when the first has written `writes` times. */
function planOf(
  topology: PlanInput["topology"],
  plan: {
    readonly lock?: string;
    readonly first: Sections;
    readonly second: Sections;
    readonly faults: PlanInput["faults"];
  },
): Plan {
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 5,
    lock: plan.lock ?? "fenced",
    topology,
    clients: [{ sections: plan.first }, { sections: plan.second }],
    faults: plan.faults,
  });
}

function faultsOf({ history }: SimulatedRun): readonly FaultEvent["value"][] {
  return history.events.filter((event) => event.type === "fault").map(({ value }) => value);
}

const taking = { key: "k1", ttlMs: 8000, waitMs: 0 };
const untilOtherWrote = { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 3000 } as const;

describe("power-loss", () => {
  const plan = (persistence: "everysec" | "always"): Plan =>
    planOf(
      { kind: "single", persistence },
      {
        first: [
          // Synced at once, because nothing was written for a second; later writes are not.
          { ...taking, steps: [{ do: "hold", forMs: 100 }] },
          { ...taking, steps: [{ do: "write" }, untilOtherWrote] },
        ],
        second: [{ ...taking, tries: 40, after: { on: "write:ok", client: 0 }, steps: [{ do: "write" }] }],
        faults: [{ kind: "power-loss", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } }],
      },
    );

  test("loses a lock that was granted and not yet synced", async () => {
    const run = await runSimulated(plan("everysec"));
    const [fault] = faultsOf(run);
    expect(fault).toMatchObject({ outcome: "installed", targets: ["node-0"] });
    expect(fault?.evidence).toMatch(/^node-0 lost its power, and [1-9]\d* change/);
    const { properties } = judge(run, ["mutual-exclusion"]);
    expect(properties["mutual-exclusion"]).toMatchObject({
      verdict: "invalid",
      violations: [{ cause: "lost-in-restart" }],
    });
    expect(properties["fencing-tokens"]?.verdict).toBe("invalid");
  });

  test("loses nothing that was synced before each reply", async () => {
    const run = await runSimulated(plan("always"));
    expect(faultsOf(run)[0]?.evidence).toMatch(/lost its power, and 0 change/);
    expect(judge(run, ["mutual-exclusion", "fencing-tokens"]).verdict).toBe("valid");
  });
});

describe("clock-rate", () => {
  const plan = (targets: string[], rate: number): Plan =>
    planOf(
      { kind: "redlock" },
      {
        lock: "redlock",
        first: [{ key: "k1", ttlMs: 2000, waitMs: 0, steps: [{ do: "write" }, { do: "hold", forMs: 1800 }] }],
        second: [
          { key: "k1", ttlMs: 2000, waitMs: 1700, after: { on: "acquire:ok", client: 0 }, steps: [{ do: "write" }] },
        ],
        faults: [{ kind: "clock-rate", params: { targets, rate }, at: { on: "acquire:invoke", client: 0 } }],
      },
    );

  test("ends leases early on a majority whose clocks are fast", async () => {
    const run = await runSimulated(plan(["node-0", "node-1", "node-2"], 2));
    const { properties } = judge(run, ["lease-exclusion"]);
    expect(properties["lease-exclusion"]).toMatchObject({ verdict: "invalid", violations: [{ cause: "clock-rate" }] });
    expect(faultsOf(run).map(({ phase, outcome }) => [phase, outcome])).toEqual([
      ["start", "installed"],
      ["heal", "installed"],
    ]);
  });

  test("of two nodes is within what a majority stands", async () => {
    const run = await runSimulated(plan(["node-0", "node-1"], 2));
    expect(judge(run, ["lease-exclusion"]).properties["lease-exclusion"]?.verdict).toBe("valid");
  });

  test("of a slow client makes it hold for longer than its lease", async () => {
    const slow = planOf(
      { kind: "single" },
      {
        lock: "watchdog",
        first: [{ key: "k1", ttlMs: 900, waitMs: 0, steps: [{ do: "hold", forMs: 3000 }] }],
        second: [
          { key: "k1", ttlMs: 900, waitMs: 2500, after: { on: "acquire:ok", client: 0 }, steps: [{ do: "write" }] },
        ],
        faults: [
          { kind: "clock-rate", params: { targets: ["client-0"], rate: 0.2 }, at: { on: "acquire:ok", client: 0 } },
        ],
      },
    );
    const run = await runSimulated(slow);
    expect(judge(run, ["mutual-exclusion"]).properties["mutual-exclusion"]?.verdict).toBe("invalid");
  });
});

test("eviction loses a lock that is held, and its fence counter", async () => {
  const run = await runSimulated(
    planOf(
      { kind: "single", persistence: "always" },
      {
        first: [{ ...taking, steps: [{ do: "write" }, untilOtherWrote] }],
        second: [{ ...taking, tries: 10, after: { on: "write:ok", client: 0 }, steps: [{ do: "write" }] }],
        faults: [{ kind: "eviction", params: { targets: ["node-0"] }, at: { on: "write:ok", client: 0 } }],
      },
    ),
  );
  expect(faultsOf(run)).toMatchObject([{ outcome: "installed", evidence: "node-0 evicted 2 of 2 keys" }]);
  const { properties } = judge(run, ["mutual-exclusion"]);
  expect(properties["mutual-exclusion"]).toMatchObject({ verdict: "invalid", violations: [{ cause: "eviction" }] });
  expect(properties["fencing-tokens"]?.violations.map(({ cause }) => cause)).toEqual(["eviction"]);
});

describe("a pause at the write that was decided on", () => {
  const plan = (lock: string, to: string, count = 1): Plan =>
    planOf(
      { kind: "single" },
      {
        lock,
        first: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "read" }, { do: "write" }] }],
        second: [
          {
            key: "k1",
            ttlMs: 3000,
            waitMs: 3000,
            after: { on: "acquire:ok", client: 0 },
            steps: [{ do: "write" }, { do: "await", until: { on: "write:ok", client: 0 }, atMostMs: 500 }],
          },
        ],
        faults: [
          {
            kind: "pause-client",
            params: { targets: ["client-0"], atSend: { to: [to], count } },
            at: { on: "acquire:ok", client: 0 },
            until: { on: "write:ok", client: 1, afterMs: 5 },
          },
        ],
      },
    );

  test("has the write arrive when another holds, as old as the check before it", async () => {
    // The first thing sent to the resource is the read.
    const run = await runSimulated(plan("single", "resource", 2));
    expect(faultsOf(run)).toMatchObject([{ outcome: "installed" }, { phase: "heal", outcome: "installed" }]);
    const audit = run.history.events.filter((event) => event.type === "audit").map(({ value }) => value);
    expect(audit).toMatchObject([{ data: "p1-1" }, { data: "p0-1", basedOn: 0, accepted: true }]);
    const written = run.history.events.find((event) => event.type === "invoke" && event.f === "write");
    const resumed = run.history.events.find((event) => event.type === "fault" && event.value.phase === "heal");
    // It had decided to write before the other client was granted the lock.
    expect(written?.time).toBeLessThan(1_000_000_000);
    expect(resumed?.time).toBeGreaterThan(1_000_000_000);
    const { properties } = judge(run, ["lost-updates", "mutual-exclusion"]);
    expect(properties["lost-updates"]?.verdict).toBe("invalid");
    expect(properties["mutual-exclusion"]?.violations.map(({ cause }) => cause)).toEqual(["overrun"]);
  });

  test("is what a fencing token is for", async () => {
    const run = await runSimulated(plan("fenced", "resource", 2));
    const { properties } = judge(run, ["lost-updates", "stale-writes"]);
    expect([properties["lost-updates"]?.verdict, properties["stale-writes"]?.verdict]).toEqual(["valid", "valid"]);
    const refused = run.history.events.find((event) => event.type === "fail" && event.f === "write");
    expect(refused).toMatchObject({ process: 0, value: { reason: "refused" } });
  });

  test("of a client that sends nothing there stops nobody, and says so", async () => {
    const run = await runSimulated(plan("single", "resource", 9));
    expect(faultsOf(run).at(-1)).toEqual({
      phase: "heal",
      targets: ["client-0"],
      outcome: "indeterminate",
      evidence: "client-0 did not come to send, and was not stopped",
      processes: [0],
      step: 0,
    });
  });
});

describe.each([
  ["single", "fenced"],
  ["sentinel", "single"],
  ["redlock", "redlock"],
] as const)("every plan generated for %s", (kind: TopologyKind, lock) => {
  const topology = topologySchema.parse({ kind, persistence: "everysec" });

  test("runs to its end, with every kind of fault among it", { tags: "long" }, async () => {
    const seen = new Set<string>();
    for (const plan of fc.sample(contentionPlans({ lock, topology, faults }), { seed: 3, numRuns: 120 })) {
      const run = await runSimulated(plan, { checkDescent: true });
      const starts = faultsOf(run).filter(({ phase }) => phase === "start").length;
      expect(starts).toBeGreaterThanOrEqual(plan.faults.length);
      for (const event of run.history.events) {
        if (event.type === "fault") seen.add(`${event.f} ${event.value.phase} ${event.value.outcome}`);
      }
    }
    const kinds = faults.filter((fault) => fault.arbitrary(topology, 2) !== undefined);
    for (const fault of kinds) expect(seen).toContain(`${fault.kind} start installed`);
  });

  test("is valid without faults", { tags: "long" }, async () => {
    for (const plan of fc.sample(contentionPlans({ lock, topology, faults: [] }), { seed: 4, numRuns: 40 })) {
      const verdict = judge(await runSimulated(plan), ["mutual-exclusion", "lease-exclusion", "linearizability"]);
      expect(verdict.verdict).not.toBe("invalid");
    }
  });
});
