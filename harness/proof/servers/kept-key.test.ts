import { describe, expect, it } from "vitest";
import { violationsOf } from "../../check/testing/judge.ts";
import { Recording } from "../../check/testing/recording.ts";
import type { KeyState, WireRecord } from "../../core/messages/wire-record.ts";
import { planSchema } from "../../core/plan.ts";
import { keptOnServer } from "./kept-key.ts";

const FORMAT = { format: "lockstorm-plan", version: 1, seed: 1, lock: "single", faults: [], limitMs: 30_000 } as const;
const STUCK = () => new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a").release(100, 0, "a");
const asked = (recording: Recording) => recording.seek(200, 1, { waitMs: 4000 }).refused(4300, 1);

/** What a server held: the time in milliseconds, the owner value, absent where the key was gone, and until when. */
type Held = readonly [atMs: number, owner?: string, untilMs?: number];
const wireOf = (states: readonly Held[], key = "lock:k"): WireRecord => {
  const keys = states.map(([atMs, owner, untilMs]): KeyState => ({
    server: "node-0",
    key,
    atNs: atMs * 1e6,
    clockAheadNs: 0,
    ...(owner === undefined ? {} : { value: `${owner} 1` }),
    ...(untilMs === undefined ? {} : { expiresInNs: (untilMs - atMs) * 1e6 }),
  }));
  return { format: "lockstorm-wire", version: 1, messages: [], keys, replication: [], votes: [], leftOut: 0 };
};

function said(
  wire: WireRecord | undefined,
  {
    kind = "single",
    recording = STUCK(),
  }: { kind?: "single" | "sentinel" | undefined; recording?: Recording | undefined } = {},
): string | undefined {
  const { history } = asked(recording);
  const [violation] = violationsOf("deadlock-freedom", { history } as Recording);
  const proven = violation?.hypotheses?.find(({ cause }) => cause === "never-freed");
  if (violation === undefined || proven === undefined) throw new Error("the lock was not stuck");
  const plan = planSchema.parse({ ...FORMAT, topology: { kind }, clients: [{ sections: [] }] });
  const verdict = { verdict: "invalid", required: [], properties: {}, reasons: [], remarks: [] } as const;
  const kept = keptOnServer({ plan, history, verdict }, violation, proven, wire);
  expect(proven.orElse).toContain("was not woken");
  expect(kept?.orElse).toBeUndefined();
  return kept?.shown;
}

describe("a lock that was not freed", () => {
  it("is told with how long the server held it for an owner", () => {
    const still = "when client-1 was refused, node-0 still held k for client-0";
    expect(said(wireOf([[1, "a"]]))).toBe(`${still}, without an expiry`);
    expect(
      said(
        wireOf([
          [1, "a", 1001],
          [50, "a", 9000],
        ]),
      ),
    ).toBe(`${still}, until 9,000 ms`);
  });

  it.each<[string, WireRecord | undefined, ("single" | "sentinel")?]>([
    ["it was free", wireOf([[1, "a", 1001], [100]])],
    ["its lease was over", wireOf([[1, "a", 1001]])],
    [
      "it was held only afterwards",
      wireOf([
        [1, "a", 1001],
        [4400, "a", 9000],
      ]),
    ],
    ["another key was held", wireOf([[1, "a"]], "lock:k1")],
    ["only the driver knows the owner values", wireOf([[1, "x"]])],
    ["something was left out", { ...wireOf([[1, "a"]]), leftOut: 1 }],
    ["there is no record", undefined],
    ["there are several servers", wireOf([[1, "a"]]), "sentinel"],
  ])("is not told so if %s", (_, wire, kind) => {
    expect(said(wire, { kind })).toBeUndefined();
  });

  it("is not told so if the owner value is a small number, which may be one of something else", () => {
    const numbered = (owner: string): Recording =>
      new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, owner).release(100, 0, owner);
    expect(said(wireOf([[1, "7"]]), { recording: numbered("7") })).toBeUndefined();
    expect(said(wireOf([[1, "o7"]]), { recording: numbered("o7") })).toContain("still held k for client-0");
  });

  it("is not told so if a clock was stepped", () => {
    const stepped = STUCK().fault(150, "clock-jump", { targets: ["node-0"], byMs: -500 });
    expect(said(wireOf([[1, "a", 9000]]), { recording: stepped })).toBeUndefined();
  });
});
