// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../../campaign/run-simulated.ts";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../check/testing/judge.ts";
import { Recording } from "../../check/testing/recording.ts";
import type { KeyState, WireRecord } from "../../core/messages/wire-record.ts";
import { type PlanInput, planSchema } from "../../core/plan.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import { seenOnServer } from "./seen-on-server.ts";

const MS = 1e6;
const FORMAT = {
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "get-then-set",
  faults: [],
  limitMs: 30_000,
} as const;
const topologyOf = (kind: "single" | "sentinel") =>
  planSchema.parse({ ...FORMAT, topology: { kind }, clients: [{ sections: [] }] });

/** Client 0 waits and is answered at 400 ms, with a lease until 1,400 ms; client 1 is granted the lock at 1,100 ms. */
const waited = new Recording({ clients: 2 })
  .seek(0, 0, { waitMs: 500 })
  .granted(400, 0, "a", { validForMs: 1000 })
  .acquire(1100, 1, "b")
  .release(1300, 0, "a");

/** What the server held: the owner value, absent where the key was gone, and when that would expire; times in milliseconds. */
function wireOf(
  ...states: readonly (readonly [atMs: number, owner?: string, untilMs?: number, aheadMs?: number])[]
): WireRecord {
  const keys: readonly KeyState[] = states.map(([atMs, owner, untilMs, aheadMs = 0]) => ({
    server: "node-0",
    key: "lock:k",
    atNs: atMs * MS,
    clockAheadNs: aheadMs * MS,
    ...(owner === undefined ? {} : { value: `${owner} of client` }),
    ...(untilMs === undefined ? {} : { expiresInNs: (untilMs - atMs) * MS }),
  }));
  return {
    format: "lockstorm-wire",
    version: 1,
    messages: [],
    keys: [...keys],
    replication: [],
    votes: [],
    leftOut: 0,
  };
}

function said(
  wire: WireRecord | undefined,
  kind: "single" | "sentinel" = "single",
  recording: Recording = waited,
): string | undefined {
  const [violation] = violationsOf("lease-exclusion", recording);
  const proven = violation?.hypotheses?.find(({ ground }) => ground.on === "rest");
  if (violation === undefined || proven === undefined) throw new Error("the lock was not granted twice");
  const verdict = { verdict: "invalid", required: [], properties: {}, reasons: [], remarks: [] } as const;
  const run = { plan: topologyOf(kind), history: recording.history, verdict };
  const seen = seenOnServer(run, violation, proven, wire);
  expect(seen?.orElse).toBeUndefined();
  return seen && [...(seen.shown === undefined ? [] : [seen.shown]), seen.why].join(". ");
}

describe("what a server held tells", () => {
  it("a lock that counted a lease from the answer, and was granted in turn", () => {
    const counted =
      "the lock counted the lease of client-0 from too late an instant: node-0 began it at 1 ms and ended it at 1,001 ms, and gave the key to client-1 only at 1,099 ms";
    expect(said(wireOf([1, "a", 1001], [1099, "b", 2099]))).toBe(counted);
    expect(said(wireOf([1, "a", 1001], [1001], [1050, "c", 1080], [1099, "b", 2099]))).toContain("only at 1,099 ms");
  });

  it("a lease that ended less than a millisecond early, as its server counts", () => {
    const early = (facts: { validForMs?: number; grantedAtMs?: number }): Recording =>
      new Recording({ clients: 2 }).seek(0, 0).granted(1, 0, "a", facts).acquire(998.5, 1, "b").release(1300, 0, "a");
    const cut = early({ validForMs: 1000, grantedAtMs: 0 });
    const rounded =
      "node-0 began it at 0.5 ms and ended it at 999.2 ms, but the lock had promised it until 1,000 ms, and gave the key to client-1 at 999.3 ms. the lock ended the lease of client-0 up to a millisecond before the time that it had promised, as one does that counts leases in whole milliseconds and promises no less";
    expect(said(wireOf([0.5, "a", 999.2], [999.3, "b", 2099]), "single", cut)).toBe(rounded);
    expect(said(wireOf([0.5, "a", 999.2], [999.3, "b", 2099]), "single", early({}))).toBe(rounded);
    // It ends the lease by the clock, and its key later: the server does not show whether that was too early.
    expect(said(wireOf([0.5, "a", 2000.5], [999.3, "b", 2099]), "single", cut)).toBeUndefined();
    expect(said(wireOf([0.5, "a", 1000.4], [999.3, "b", 2099]), "single", cut)).toContain(
      "the lock itself granted it twice",
    );
    expect(said(wireOf([0.5, "a", 900.5], [999.3, "b", 2099]), "single", cut)).toContain(
      "for longer than the server kept it",
    );
    const late = early({ validForMs: 999.3, grantedAtMs: 0.9 });
    expect(said(wireOf([0.1, "a", 999.1], [999.3, "b", 2099]), "single", late)).toContain("from too late an instant");
  });

  it("a lock that promised more than the server kept", () => {
    const ended =
      "the lock promised client-0 its lease for longer than the server kept it: node-0 began it at 390 ms and ended it at 890 ms, and gave the key to client-1 only at 1,099 ms";
    expect(said(wireOf([390, "a", 890], [1099, "b", 2099]))).toBe(ended);
    // Set anew, it is not the lease of the grant.
    expect(said(wireOf([1, "a", 1001], [20, "a", 1020], [1099, "b", 2099]))).toContain(
      "for longer than the server kept it",
    );
  });

  it("a lock that was granted twice", () => {
    const twice = "at 1,099 ms node-0 gave the key to client-1, though it had it for client-0";
    const why = ". no fault is recorded: the lock itself granted it twice";
    expect(said(wireOf([390, "a", 1390], [1099, "b", 2099]))).toBe(`${twice} until 1,390 ms${why}`);
    expect(said(wireOf([390, "a"], [1099, "b"]))).toBe(`${twice}${why}`);
  });

  it("a lock that counted from its request on, as far as the history tells", () => {
    const late = new Recording({ clients: 2, backend: "simulated" })
      .seek(0, 0)
      .granted(400, 0, "a", { validForMs: 1000 })
      .acquire(1100, 1, "b")
      .release(1300, 0, "a");
    const asked =
      "client-0 had asked for its lease at 0 ms, for 1,000 ms: counted from there it ended at 1,000 ms, before client-1 was granted it, but the lock promised it until 1,400 ms";
    expect(said(wireOf([1, "a", 1001], [1099, "b", 2099]), "single", late)).toBe(
      `${asked}. the lock counted the lease of client-0 from too late an instant: node-0 began it at 1 ms and ended it at 1,001 ms, and gave the key to client-1 only at 1,099 ms`,
    );
    expect(said(wireOf([390, "a", 1390], [1099, "b", 2099]), "single", late)).toBe(
      "at 1,099 ms node-0 gave the key to client-1, though it had it for client-0 until 1,390 ms. the lock itself granted it twice",
    );
  });

  it.each([
    ["if something ended the first lease", wireOf([390, "a", 1390], [700], [1099, "b", 2099])],
    ["if the clock of the server was stepped", wireOf([1, "a", 1001], [1099, "b", 2099, 500])],
    ["of owner values that only the driver knows", wireOf([1, "x", 1001], [1099, "y", 2099])],
    ["of what was left out", { ...wireOf([1, "a", 1001], [1099, "b", 2099]), leftOut: 1 }],
    ["without a record", undefined],
    ["if one value names both owners", wireOf([1, "a", 1001], [1099, "a b", 2099])],
  ])("nothing %s", (_, wire) => {
    expect(said(wire)).toBeUndefined();
  });

  it("nothing of permits", () => {
    const permits = new Recording({ clients: 2 })
      .seek(0, 0, { limit: 1, permits: 1 })
      .granted(400, 0, "a", { validForMs: 1000 })
      .seek(1100, 1, { limit: 1, permits: 1 })
      .granted(1100, 1, "b", { validForMs: 1000 })
      .release(1300, 0, "a");
    expect(said(wireOf([390, "a", 1390], [1099, "b", 2099]), "single", permits)).toBeUndefined();
  });

  it("nothing where there are several servers", () => {
    expect(said(wireOf([390, "a", 1390], [1099, "b", 2099]), "sentinel")).toBeUndefined();
  });
});

it("is said of a simulated run", async () => {
  const section = { key: "k1", ttlMs: 1900, waitMs: 3700 } as const;
  const clients: PlanInput["clients"] = [
    { sections: [{ ...section, steps: [{ do: "hold", forMs: 800 }] }] },
    { sections: [{ ...section, after: { atMs: 0 }, steps: [{ do: "hold", forMs: 10 }] }] },
  ];
  const plan = planSchema.parse({ ...FORMAT, topology: { kind: "single" }, resource: { fencing: false }, clients });
  const { record } = await proveSimulated(await runSimulated(plan, { title: "", required: PROPERTIES }));
  const [violation] = record.verdict.properties["lease-exclusion"]?.violations ?? [];
  expect(violation?.explanation).toMatch(
    /At [\d.]+ ms node-0 gave the key to client-\d, though it had it for client-\d until [\d,.]+ ms\. There was no fault: the lock itself granted it twice\.$/,
  );
  expect(violation?.proof).toMatchObject({ standing: "proven" });
});
