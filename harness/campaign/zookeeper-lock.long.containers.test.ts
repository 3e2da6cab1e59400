// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { describeWithEngine } from "../containers/testing/engine-required.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type PlanInput } from "../core/plan.ts";
import { requiredProperties } from "./required-properties.ts";
import { runOnContainers } from "./run-on-containers.ts";

type Section = PlanInput["clients"][number]["sections"][number];

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

/** Runs a plan of the lock `zookeeper` on a real server; its claims under these faults are required. */
async function run(clients: readonly (readonly Section[])[], faults: PlanInput["faults"] = []): Promise<RunRecord> {
  const plan = planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "zookeeper",
    topology: { kind: "zookeeper" },
    clients: clients.map((sections) => ({ sections })),
    faults,
    limitMs: 60_000,
  });
  const { record } = await runOnContainers(plan, {
    store,
    title: "zookeeper",
    required: requiredProperties(plan),
  });
  return record;
}

/** The properties that decided the verdict, and the causes of the violations. */
function found({ verdict }: RunRecord) {
  const { properties } = verdict;
  const broken = Object.entries(properties).flatMap(([property, { violations }]) =>
    [...new Set((violations ?? []).map(({ cause }) => cause))].map((cause) => `${property} ${cause}`),
  );
  return { verdict: verdict.verdict, reasons: verdict.reasons, broken };
}

const SOUND = { verdict: "valid", reasons: [], broken: [] };

/** The indices in the history of one client's events of a kind, such as `acquire:ok`. */
function positions({ history }: RunRecord, kind: string, client: number): readonly number[] {
  const { clients } = history.header as { readonly clients: number };
  return history.events.flatMap(({ index, f, type, process }) =>
    typeof process === "number" && process % clients === client && `${f}:${type}` === kind ? [index] : [],
  );
}

/**
 * Client 0 reads, writes, and holds until something happens, but not for longer than its lease; then it writes again.
 */
function holder(ttlMs: number, until: Extract<Section["steps"][number], { do: "await" }>["until"]): Section {
  const steps: Section["steps"] = [
    { do: "read" },
    { do: "write" },
    { do: "await", until, atMostMs: 20_000 },
    { do: "write" },
  ];
  return { key: "k1", ttlMs, waitMs: 0, steps };
}

/** Client 1 asks when client 0 has written, and reads and writes when it is granted the lock. */
function rival(ttlMs: number, waitMs: number): Section {
  const after = { on: "write:ok", client: 0 } as const;
  return { key: "k1", ttlMs, waitMs, after, steps: [{ do: "read" }, { do: "write" }] };
}

/** When the fault has been seen to take effect. */
const AFTER_FAULT = { on: "fault:start", fault: 0 } as const;
/** Long beside everything that happens in a run. */
const LONG_MS = 30_000;
const SHORT_MS = 2_000;

describeWithEngine("the lock on ZooKeeper, through the harness", () => {
  test("without faults holds all that it claims, and the queue is served", async () => {
    const sections = Array.from({ length: 3 }, (): Section => ({
      key: "k1",
      ttlMs: 10_000,
      waitMs: 20_000,
      steps: [{ do: "read" }, { do: "write" }],
    }));
    const record = await run([sections, sections, sections]);
    expect(found(record)).toEqual(SOUND);
    expect(record.verdict.required).toContain("linearizability");
    expect([0, 1, 2].map((client) => positions(record, "acquire:ok", client).length)).toEqual([3, 3, 3]);
  });

  test("a client paused past its session overruns, as claimed, and its late write is refused", async () => {
    const record = await run(
      [[holder(SHORT_MS, { on: "acquire:ok", client: 0 })], [rival(LONG_MS, 20_000)]],
      [
        {
          kind: "pause-client",
          params: { targets: ["client-0"] },
          at: { on: "write:invoke", client: 0, count: 2 },
          until: { on: "write:ok", client: 1 },
        },
      ],
    );
    expect(found(record)).toMatchObject({ verdict: "valid", broken: ["mutual-exclusion overrun"] });
    expect(record.verdict.required).toEqual(
      expect.arrayContaining(["lease-exclusion", "fencing-tokens", "stale-writes"]),
    );
    expect(positions(record, "write:fail", 0)).toHaveLength(1);
  });

  test("a holder that is cut off is told before the next one is granted the lock", async () => {
    const record = await run(
      [[holder(SHORT_MS, { on: "lost", client: 0 })], [rival(LONG_MS, 20_000)]],
      [
        {
          kind: "partition",
          params: { between: [["client-0"], ["node-0"]] },
          at: { on: "write:ok", client: 0 },
          until: { on: "acquire:ok", client: 1 },
        },
      ],
    );
    expect(found(record)).toEqual(SOUND);
    expect(record.verdict.required).toContain("mutual-exclusion");
    const [lost] = positions(record, "lease:lost", 0);
    const [granted] = positions(record, "acquire:ok", 1);
    expect(lost).toBeLessThan(granted ?? -1);
  });

  test("a server that stops for longer than the session costs the holder its lease, and no overlap", async () => {
    const record = await run(
      [[holder(SHORT_MS, { on: "lost", client: 0 })], [rival(LONG_MS, 20_000)]],
      [
        {
          kind: "pause-node",
          params: { targets: ["node-0"] },
          at: { on: "write:ok", client: 0 },
          until: { on: "lost", client: 0 },
        },
      ],
    );
    expect(found(record)).toEqual(SOUND);
    expect(record.verdict.required).toContain("mutual-exclusion");
    expect(positions(record, "lease:lost", 0)).toHaveLength(1);
    expect(positions(record, "acquire:ok", 1)).toHaveLength(1);
  });

  test.each([
    ["a restart of the server", { kind: "restart-node", params: { targets: ["node-0"] } }],
    ["an hour's jump of its clock", { kind: "clock-jump", params: { targets: ["node-0"], byMs: 3_600_000 } }],
  ])("%s takes nothing from the holder", async (_, fault) => {
    // Not a refusal: a busy machine may leave a short try without an answer.
    const hasAsked = { on: "acquire:invoke", client: 1, afterMs: 1_000 } as const;
    const record = await run(
      [[holder(LONG_MS, hasAsked)], [{ ...rival(LONG_MS, 20_000), after: AFTER_FAULT }]],
      [{ ...fault, at: { on: "write:ok", client: 0 } }],
    );
    expect(found(record)).toEqual(SOUND);
    expect(record.verdict.required).toEqual(expect.arrayContaining(["mutual-exclusion", "fencing-tokens"]));
    expect(positions(record, "lease:lost", 0)).toEqual([]);
    const [released] = positions(record, "release:invoke", 0);
    const [granted] = positions(record, "acquire:ok", 1);
    expect(released).toBeLessThan(granted ?? -1);
  });

  test("a server that loses its disk loses the lock and counts again, as claimed; the resource then refuses the new holder", async () => {
    const before = Array.from({ length: 5 }, (): Section => ({ key: "k1", ttlMs: LONG_MS, waitMs: 0, steps: [] }));
    // A client that was connected before would wait, until its session ends, for a server that knows what it has seen.
    const late: Section = { ...rival(LONG_MS, 20_000), after: AFTER_FAULT };
    const record = await run(
      [[...before, holder(LONG_MS, { on: "acquire:ok", client: 1 })], [late]],
      [{ kind: "restart-node", params: { targets: ["node-0"], keepData: false }, at: { on: "write:ok", client: 0 } }],
    );
    const { verdict, broken } = found(record);
    expect(verdict).toBe("valid");
    expect(broken).toEqual(
      expect.arrayContaining(["lease-exclusion lost-in-restart", "fencing-tokens token-rollback"]),
    );
    expect(record.verdict.required).not.toContain("stale-writes");
    expect(positions(record, "write:fail", 1)).toHaveLength(1);
  });
});
