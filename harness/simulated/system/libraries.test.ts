import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { HistoryEvent } from "../../history/history.ts";
import { planSchema, type Plan, type PlanInput } from "../../core/plan.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import { judge, runSimulated } from "./testing/simulated-run.ts";

/** The unmodified clients of npm, on the topologies that each supports; all of them use ioredis 6. */
const CLIENTS: readonly (readonly [lock: string, topology: TopologyKind, canExtend: boolean])[] = [
  ["single", "single", true],
  ["single", "sentinel", true],
  ["redlock", "redlock", true],
  ["redlock4", "single", true],
  ["redlock4", "sentinel", true],
  ["redlock4", "redlock", true],
  ["redlock5", "single", true],
  ["redlock5", "sentinel", true],
  ["redlock5", "redlock", true],
  ["redlock5-using", "single", false],
  ["redlock5-using", "redlock", false],
  ["sesamecare-redlock", "single", true],
  ["sesamecare-redlock", "redlock", true],
  ["redis-semaphore-530", "single", false],
  ["redis-semaphore", "single", false],
  ["redis-semaphore", "sentinel", false],
  ["redis-semaphore-permits", "single", false],
  ["redis-semaphore-permits", "sentinel", false],
  ["redis-semaphore-redlock", "redlock", false],
  ["bullmq", "single", true],
  ["bullmq", "sentinel", true],
];

function planFor(
  lock: string,
  topology: TopologyKind,
  clients: PlanInput["clients"],
  faults: PlanInput["faults"] = [],
): Plan {
  const header = { format: "lockstorm-plan", version: 1, seed: 2, lock } as const;
  return planSchema.parse({ ...header, topology: { kind: topology }, clients, faults });
}

async function eventsOf(plan: Plan): Promise<readonly HistoryEvent[]> {
  return (await runSimulated(plan, { checkDescent: true })).history.events;
}

/** How each operation ended, in order: `"0 acquire ok"`. */
function completions(events: readonly HistoryEvent[]): readonly string[] {
  return events
    .filter((event) => event.type === "ok" || event.type === "fail" || event.type === "info")
    .map(({ process, f, type }) => `${process} ${f} ${type}`);
}

test.each([
  ["ioredis", "6.0.0"],
  ["redlock4", "4.2.0"],
  ["redlock5", "v5.0.0-beta.2"],
  ["@sesamecare-oss/redlock", "1.4.0"],
  ["redis-semaphore-530", "5.3.0"],
  ["redis-semaphore", "5.8.0"],
  ["bullmq", "6.7.0"],
])("what is run as %s is version %s", (name, version) => {
  const text = readFileSync(`node_modules/${name}/package.json`, "utf8");
  expect(JSON.parse(text)).toMatchObject({ version });
});

const section = { key: "k1", ttlMs: 1000, waitMs: 0 };

describe.each(CLIENTS)("%s on %s", (lock, topology) => {
  test("is acquired and released, again and again", async () => {
    const once = { ...section, steps: [] };
    const events = await eventsOf(planFor(lock, topology, [{ sections: [once, once, once] }]));
    const each = ["0 acquire ok", "0 release ok"];
    expect(completions(events)).toEqual([...each, ...each, ...each]);
    const owners = events.filter((event) => event.type === "ok" && event.f === "acquire").map(({ value }) => value);
    expect(new Set(owners.map((value) => JSON.stringify(value))).size).toBe(3);
    const released = events.filter((event) => event.type === "ok" && event.f === "release");
    for (const { value } of released) expect(value).toEqual({ released: true });
  });

  test("is refused while another holds, and granted once that has released", { tags: "long" }, async () => {
    const events = await eventsOf(
      planFor(lock, topology, [
        { sections: [{ ...section, steps: [{ do: "hold", forMs: 400 }] }] },
        {
          sections: [
            { ...section, after: { on: "acquire:ok", client: 0 }, steps: [] },
            { ...section, waitMs: 900, steps: [] },
          ],
        },
      ]),
    );
    const [refused, granted] = events.filter(
      ({ process, type }) => process === 1 && (type === "fail" || type === "ok"),
    );
    expect(refused).toMatchObject({ f: "acquire", type: "fail", value: { reason: "contended" } });
    expect(granted).toMatchObject({ f: "acquire", type: "ok" });
    expect(granted?.time).toBeGreaterThan(400_000_000);
    expect(granted?.time).toBeLessThan(900_000_000);
  });

  test("of a client that died is free again after its lease, and not before", { tags: "long" }, async () => {
    const events = await eventsOf(
      planFor(
        lock,
        topology,
        [
          { sections: [{ ...section, steps: [{ do: "hold", forMs: 100 }] }] },
          { sections: [{ ...section, waitMs: 3000, after: { on: "acquire:ok", client: 0 }, steps: [] }] },
        ],
        [{ kind: "kill-client", params: { targets: ["client-0"] }, at: { on: "acquire:ok", client: 0 } }],
      ),
    );
    const granted = events.find((event) => event.type === "ok" && event.process === 1);
    expect((granted?.time ?? 0) / 1e6).toBeGreaterThan(990);
    expect((granted?.time ?? 0) / 1e6).toBeLessThan(1500);
  });
});

test.each(CLIENTS.filter(([, , canExtend]) => canExtend))("%s on %s is extended", async (lock, topology) => {
  const plan = planFor(lock, topology, [
    {
      sections: [
        {
          ...section,
          steps: [
            { do: "hold", forMs: 600 },
            { do: "extend", ttlMs: 1000 },
            { do: "hold", forMs: 600 },
          ],
        },
      ],
    },
    { sections: [{ ...section, after: { on: "extend:ok" }, waitMs: 0, steps: [] }] },
  ]);
  const run = await runSimulated(plan);
  expect(completions(run.history.events)).toEqual(["0 acquire ok", "0 extend ok", "1 acquire fail", "0 release ok"]);
  expect(judge(run, ["mutual-exclusion"]).properties["mutual-exclusion"]?.verdict).toBe("valid");
});

test.each(CLIENTS.filter(([, , canExtend]) => !canExtend))(
  "%s on %s extends by itself for as long as it is held, and no longer",
  async (lock, topology) => {
    const plan = planFor(lock, topology, [
      { sections: [{ ...section, steps: [{ do: "hold", forMs: 3500 }] }] },
      {
        sections: [
          { ...section, after: { on: "acquire:ok", client: 0, afterMs: 3000 }, steps: [] },
          { ...section, after: { on: "release:ok", client: 0 }, steps: [] },
        ],
      },
    ]);
    const { history } = await runSimulated(plan);
    expect(completions(history.events)).toEqual([
      "0 acquire ok",
      "1 acquire fail",
      "0 release ok",
      "1 acquire ok",
      "1 release ok",
    ]);
    expect(history.events.some(({ type }) => type === "lost")).toBe(false);
  },
);

describe("a pause while the replies are on their way", () => {
  /** Requests leave at once, replies take 20 ms, and the client stops in between for longer than the lease. */
  const plan = (lock: string, topology: TopologyKind): Plan =>
    planFor(
      lock,
      topology,
      [
        {
          sections: [
            // So that the servers know the scripts, and one request is enough the second time.
            { key: "k1", ttlMs: 1000, waitMs: 0, steps: [] },
            { key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "write" }] },
          ],
        },
        {
          sections: [
            {
              key: "k1",
              ttlMs: 4000,
              waitMs: 2000,
              after: { on: "acquire:invoke", client: 0, count: 2, afterMs: 100 },
              steps: [
                { do: "write" },
                { do: "await", until: { on: "release:invoke", client: 0, count: 2 }, atMostMs: 3000 },
              ],
            },
          ],
        },
      ],
      [
        { kind: "latency", params: { between: [["client-0"], ["nodes"]], delayMs: 20 }, at: { atMs: 0 } },
        {
          kind: "pause-client",
          params: { targets: ["client-0"] },
          at: { on: "acquire:invoke", client: 0, count: 2, afterMs: 10 },
          until: { on: "write:ok", client: 1 },
        },
      ],
    );

  test.each([
    ["redlock5", "single"],
    ["redlock5", "redlock"],
    ["redis-semaphore-redlock", "redlock"],
  ] as const)("has %s on %s grant a lease that is over", async (lock, topology) => {
    const run = await runSimulated(plan(lock, topology));
    const granted = run.history.events.findLast(
      (event) => event.type === "ok" && event.f === "acquire" && event.process === 0,
    );
    const overlap = judge(run, ["mutual-exclusion"]).properties["mutual-exclusion"];
    expect((granted?.time ?? 0) / 1e6).toBeGreaterThan(1000);
    expect(overlap?.verdict).toBe("invalid");
    if (lock !== "redlock5") return;
    expect(granted).toMatchObject({ value: { validForMs: expect.toSatisfy((ms: number) => ms < 0) } });
    expect(overlap?.violations.map(({ cause }) => cause)).toContain("expired-grant");
  });

  test.each([
    ["redlock4", "redlock"],
    ["redlock", "redlock"],
  ] as const)("has %s on %s refuse", async (lock, topology) => {
    const run = await runSimulated(plan(lock, topology));
    const mine = completions(run.history.events).filter((text) => text.startsWith("0 acquire"));
    expect(mine).toEqual(["0 acquire ok", expect.stringMatching(/^0 acquire (fail|info)$/)]);
    expect(judge(run, ["mutual-exclusion"]).properties["mutual-exclusion"]?.verdict).toBe("valid");
  });
});

describe("a holder that is cut off from its server", () => {
  const plan = (lock: string): Plan =>
    planFor(
      lock,
      "single",
      [
        { sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [{ do: "hold", forMs: 3000 }, { do: "write" }] }] },
        {
          sections: [
            {
              key: "k1",
              ttlMs: 5000,
              waitMs: 2500,
              after: { on: "acquire:ok", client: 0 },
              steps: [{ do: "write" }, { do: "hold", forMs: 2500 }],
            },
          ],
        },
      ],
      [
        {
          kind: "partition",
          params: { between: [["client-0"], ["node-0"]] },
          at: { on: "acquire:ok", client: 0 },
        },
      ],
    );

  test("works on without knowing, with the mutex of redis-semaphore", async () => {
    const run = await runSimulated(plan("redis-semaphore"));
    expect(run.history.events.some(({ type }) => type === "lost")).toBe(false);
    const overlap = judge(run, ["mutual-exclusion"]).properties["mutual-exclusion"];
    expect(overlap).toMatchObject({ verdict: "invalid", violations: [{ cause: "overrun" }] });
  });

  test("is told in time by a watchdog that counts for itself", async () => {
    const run = await runSimulated(plan("watchdog"));
    const lost = run.history.events.find(({ type }) => type === "lost");
    expect((lost?.time ?? Infinity) / 1e6).toBeLessThanOrEqual(1000);
    expect(judge(run, ["mutual-exclusion"]).properties["mutual-exclusion"]?.verdict).toBe("valid");
  });
});
