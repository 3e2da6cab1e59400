import { describe, expect, it } from "vitest";
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { type PlanInput, planSchema } from "../core/plan.ts";
import type { Violation } from "../core/verdict.ts";

type Section = PlanInput["clients"][number]["sections"][number];
type Fault = NonNullable<PlanInput["faults"]>[number];

const section = (forMs: number, more: Partial<Section> = {}): Section => ({
  key: "k1",
  ttlMs: 3000,
  waitMs: 0,
  steps: [{ do: "hold", forMs }],
  ...more,
});

/** The server's clock jumps over the lease of whoever has been granted the lock by then. */
const jump = (atMs: number): Fault => ({
  kind: "clock-jump",
  params: { targets: ["node-0"], byMs: 3001 },
  at: { atMs },
});

/** The overlaps of leases. */
async function overlapsOf(parts: Omit<PlanInput, "format" | "version">): Promise<readonly Violation[]> {
  const plan = planSchema.parse({ format: "lockstorm-plan", version: 1, ...parts });
  const run = await proveSimulated(await runSimulated(plan, { title: "", required: ["lease-exclusion"] }));
  return run.record.verdict.properties["lease-exclusion"]?.violations ?? [];
}

const causes = (violations: readonly Violation[]) =>
  violations.map(({ cause, proof }) => `${cause}, ${proof?.standing}`);

describe("a release after the lock was granted to two that asked at the same time", () => {
  it("is no cause if its owner had been granted the lock last", async () => {
    const violations = await overlapsOf({
      seed: 2147483622,
      lock: "single",
      topology: { kind: "single" },
      clients: [{ sections: [section(900)] }, { sections: [section(12), section(10)] }],
      faults: [jump(0.2)],
    });
    expect(causes(violations)).toEqual(["clock-jump, proven", "clock-jump, proven"]);
    expect(violations[1]?.proof?.dropped?.map(({ cause }) => cause)).toEqual(["foreign-release"]);
  });

  it("is no cause of a later grant either, although its client was granted the lock in between", async () => {
    const violations = await overlapsOf({
      seed: 589254778,
      lock: "quorum-of-two",
      topology: { kind: "redlock" },
      clients: [{ sections: [section(448), section(400), section(100)] }, { sections: [section(900)] }],
      faults: [],
    });
    expect(causes(violations)).toEqual(["double-grant, proven", "double-grant, proven", "double-grant, proven"]);
  });

  it("is the cause if it took what the other had been granted", async () => {
    const violations = await overlapsOf({
      seed: 2147483622,
      lock: "set-px",
      topology: { kind: "single" },
      clients: [
        { sections: [section(600)] },
        { sections: [section(900, { waitMs: 2000 })] },
        { sections: [section(100, { waitMs: 2000, after: { on: "release:invoke", client: 0 } })] },
      ],
      faults: [jump(200)],
    });
    expect(causes(violations)).toEqual(["clock-jump, proven", "foreign-release, proven"]);
  });
});

it("a release of a lease that began long after it was asked for takes nothing from one who had lost the lock", async () => {
  const at: Fault["at"] = { on: "acquire:ok", client: 1, afterMs: 1 };
  const violations = await overlapsOf({
    seed: 2147483642,
    lock: "redis-semaphore",
    topology: { kind: "single" },
    clients: [
      { sections: [section(153, { ttlMs: 300 })] },
      { sections: [section(740, { ttlMs: 1200, waitMs: 2400, tries: 8 })] },
      {
        // It waits for the server: by the validity that the lock reports, its lease is over before it is released.
        sections: [section(560, { ttlMs: 800, waitMs: 400 }), section(0, { ttlMs: 1200, tries: 8 })],
      },
    ],
    faults: [{ kind: "power-loss", params: { targets: ["node-0"] }, at, until: { ...at, afterMs: 937 } }],
  });
  expect(causes(violations)).toEqual(["lost-in-restart, proven", "lost-in-restart, proven"]);
});

it("a release on a replaced master takes nothing from the holder on the new one", async () => {
  const violations = await overlapsOf({
    seed: 2147483622,
    lock: "watchdog",
    topology: { kind: "sentinel" },
    clients: [
      { sections: [section(9000, { ttlMs: 10_000, after: { atMs: 300 } }), section(10, { ttlMs: 10_000 })] },
      { sections: [section(14_000, { waitMs: 1000, tries: 20, after: { atMs: 400 } })] },
    ],
    faults: [
      {
        kind: "partition",
        params: {
          between: [
            ["masters", "client-0"],
            ["replicas", "sentinels", "client-1"],
          ],
          oneWay: true,
        },
        at: { atMs: 100 },
        until: { atMs: 20_000 },
      },
    ],
  });
  expect(causes(violations)).toEqual(["lost-in-failover, proven", "lost-in-failover, proven"]);
  expect(violations[1]?.proof?.dropped?.map(({ cause }) => cause)).toEqual(["foreign-release"]);
});

it("a fault that had no effect, because another had stopped the server, is left out with the other", async () => {
  const at: Fault["at"] = { on: "acquire:ok", client: 0, afterMs: 10 };
  const [violation] = await overlapsOf({
    seed: 2147483622,
    lock: "single",
    topology: { kind: "single" },
    clients: [{ sections: [section(2000)] }, { sections: [section(10, { waitMs: 2000, after: { atMs: 50 } })] }],
    faults: [
      { kind: "kill-node", params: { targets: ["node-0"] }, at, until: { atMs: 200 } },
      { kind: "eviction", params: { targets: ["node-0"] }, at: { ...at, afterMs: 20 }, until: { atMs: 300 } },
    ],
  });
  expect(causes([violation!])).toEqual(["lost-in-restart, proven"]);
  expect(violation?.proof?.run?.change).toEqual({ kind: "without-faults", steps: [0, 1] });
  expect(violation?.explanation).toContain(", which had no effect here, the same schedule breaks nothing.");
});

it("a release is the cause although others are granted the lock twice after it, by releases of their own", async () => {
  const waiting = (forMs: number): Section => section(forMs, { ttlMs: 100, waitMs: 3000 });
  const violations = await overlapsOf({
    seed: 7,
    lock: "set-px",
    topology: { kind: "single" },
    clients: [0, 1, 2, 3].map((client) => ({
      sections: [client, client + 1].map((place) => waiting(place % 3 === 0 ? 150 : 20)),
    })),
    faults: [],
  });
  expect(causes(violations)).toEqual(["foreign-release, proven"]);
  expect(violations[0]?.proof?.dropped).toBeUndefined();
});
