// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../../campaign/run-simulated.ts";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../check/testing/judge.ts";
import { Recording } from "../../check/testing/recording.ts";
import type { WireRecord } from "../../core/messages/wire-record.ts";
import { planSchema } from "../../core/plan.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import { withoutMajority } from "./without-majority.ts";

const FORMAT = { format: "lockstorm-plan", version: 1, seed: 1, faults: [], limitMs: 30_000 } as const;
const TWICE = new Recording({ clients: 2 }).acquire(100, 0, "a").acquire(200, 1, "b").release(300, 0, "a");

/** What servers held: the time in milliseconds, the number of the server, and the owner value. */
function wireOf(...states: readonly (readonly [atMs: number, node: number, owner: string])[]): WireRecord {
  const keys = states.map(([atMs, node, owner]) => ({
    server: `node-${node}`,
    key: "lock:k",
    atNs: atMs * 1e6,
    value: owner,
    clockAheadNs: 0,
  }));
  return { format: "lockstorm-wire", version: 1, messages: [], keys, replication: [], votes: [], leftOut: 0 };
}

function said(
  wire: WireRecord | undefined,
  {
    kind = "redlock",
    recording = TWICE,
  }: { readonly kind?: "redlock" | "single"; readonly recording?: Recording } = {},
): string | undefined {
  const [violation] = violationsOf("lease-exclusion", recording);
  const proven = violation?.hypotheses?.find(({ ground }) => ground.on === "rest");
  if (violation === undefined || proven === undefined) throw new Error("the lock was not granted twice");
  const plan = planSchema.parse({ ...FORMAT, lock: "redlock", topology: { kind }, clients: [{ sections: [] }] });
  const verdict = { verdict: "invalid", required: [], properties: {}, reasons: [], remarks: [] } as const;
  return withoutMajority({ plan, history: recording.history, verdict }, violation, proven, wire)?.why;
}

const majority = (atMs: number, owner: string) => [0, 1, 2].map((node) => [atMs, node, owner] as const);

describe("a grant without a majority", () => {
  it("is told with the servers that held it for its client", () => {
    expect(said(wireOf([90, 4, "a"], [91, 0, "a"], ...majority(190, "b")))).toBe(
      "the lock granted it to client-0 without a majority: only node-0 and node-4, of 5 servers, held it for that client",
    );
    expect(said(wireOf(...majority(90, "a"), [190, 3, "b"]))).toContain("to client-1 without a majority: only node-3,");
  });

  it("counts what a server held at any moment until the grant, and nothing after it", () => {
    expect(said(wireOf(...majority(90, "a"), [95, 0, "b"], [96, 1, "b"], [97, 2, "b"]))).toBeUndefined();
    expect(said(wireOf([90, 0, "a"], [91, 1, "a"], [150, 2, "a"], ...majority(190, "b")))).toContain("to client-0");
  });

  it("is not told where the record does not show it", () => {
    expect(said(wireOf(...majority(90, "a"), ...majority(190, "b")))).toBeUndefined();
    expect(said(wireOf(...majority(90, "hidden"), ...majority(190, "too")))).toBeUndefined();
    expect(said({ ...wireOf([90, 0, "a"]), leftOut: 1 })).toBeUndefined();
    expect(said(wireOf([90, 0, "a"]), { kind: "single" })).toBeUndefined();
    expect(said(undefined)).toBeUndefined();
  });

  it("is not told of permits: a key that lists several owners may be kept without the last of them", () => {
    const one = { limit: 1, permits: 1 };
    const permits = new Recording({ clients: 2 })
      .acquire(100, 0, "a", one)
      .acquire(200, 1, "b", one)
      .release(300, 0, "a");
    expect(said(wireOf([90, 0, "a"]), { recording: permits })).toBeUndefined();
  });

  it("is the cause of a lock that is content with two of five", async () => {
    const section = { key: "k1", ttlMs: 1000, tries: 1, waitMs: 0, release: true, steps: [{ do: "hold", forMs: 500 }] };
    const cutOff = (client: number, ...nodes: readonly string[]) => ({
      kind: "partition",
      params: { between: [[`client-${client}`], nodes] },
      at: { on: "acquire:invoke" as const, client },
    });
    const plan = planSchema.parse({
      ...FORMAT,
      lock: "quorum-of-two",
      topology: { kind: "redlock" },
      clients: [{ sections: [section] }, { sections: [{ ...section, after: { on: "acquire:ok", client: 0 } }] }],
      faults: [cutOff(0, "node-2", "node-3", "node-4"), cutOff(1, "node-0", "node-1")],
    });
    const run = await runSimulated(plan, { title: "", required: PROPERTIES });
    const { record } = await proveSimulated(run);
    const [violation] = record.verdict.properties["lease-exclusion"]?.violations ?? [];
    expect(violation?.explanation).toContain("without a majority: only node-0 and node-1, of 5 servers, held it");
  });
});
