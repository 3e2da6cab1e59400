import { expect, test } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import type { KeyState, WireRecord } from "../core/messages/wire-record.ts";
import { planSchema } from "../core/plan.ts";
import type { Violation } from "../core/verdict.ts";
import { CounterfactualRuns } from "./counterfactual-runs.ts";
import { toldNothing } from "./told-nothing.ts";

const MS = 1e6;
/** Another task of client 0 waits for the lock all the time, so that a try of another owner would show nothing. */
const waitedFor = (recording = new Recording({ clients: 1 })): Recording =>
  recording.acquire(0, 0, "a1", { ttlMs: 900 }).seek(5, 1, { ttlMs: 900, waitMs: 2000 });
const denied = waitedFor().release(100, 0, "a1", false).granted(950, 1, "b2");

const held = (changes: Partial<KeyState> = {}): KeyState => ({
  server: "node-0",
  key: "lock:k",
  atNs: 0.5 * MS,
  value: "a1 of client-0",
  expiresInNs: 900 * MS,
  clockAheadNs: 0,
  ...changes,
});
const { value: _, expiresInNs: __, ...gone } = held({ atNs: 100.2 * MS });

const messageTo = (server: string): WireRecord["messages"][number] => ({
  client: 0,
  server,
  command: "EVAL",
  keys: ["lock:k"],
  count: 1,
  connection: `client-0>${server}#1`,
  sentNs: 100 * MS,
});

/** What is said of the release that found nothing, if servers held this. */
async function said(
  keys: readonly KeyState[],
  recording = denied,
  kind = "single",
  leftOut = 0,
  messages: WireRecord["messages"] = [],
) {
  const { history } = recording;
  const answer = history.events.findIndex((event) => event.type === "ok" && event.f === "release");
  const of = (f: string): number => history.events.findIndex((event) => event.type === "invoke" && event.f === f);
  const events = [1, of("release"), answer];
  const violation = { finding: { account: "", events } } as unknown as Violation;
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "single",
    topology: { kind },
    clients: [{ sections: [] }],
    faults: [],
    limitMs: 30_000,
  });
  const verdict = { verdict: "invalid", required: [], properties: {}, reasons: [], remarks: [] } as const;
  const run = { plan, history, verdict };
  const wire: WireRecord = {
    format: "lockstorm-wire",
    version: 1,
    messages: [...messages],
    keys: [...keys],
    replication: [],
    votes: [],
    leftOut,
  };
  const runs = new CounterfactualRuns(run, () => expect.unreachable());
  const told = await toldNothing({ run, runs, wire }, violation);
  return told?.hypothesis.shown;
}

test("a server that held the lock until after the answer shows that the answer was wrong", async () => {
  expect(await said([held()])).toBe("node-0 held k for that owner from 0.5 ms on, and still did when the answer came");
});

test("nothing is shown where the server let go, or held it for somebody else or under another key", async () => {
  expect(await said([held(), gone])).toBeUndefined();
  expect(await said([held({ value: "b2 of client-0" })])).toBeUndefined();
  expect(await said([held({ key: "other" })])).toBeUndefined();
  expect(await said([held({ expiresInNs: 99 * MS })])).toBeUndefined();
  expect(await said([held(), gone, held({ atNs: 100.6 * MS })])).toBeUndefined();
  expect(await said([])).toBeUndefined();
});

test("of servers that replicate, the only one that was asked shows it", async () => {
  const release = denied.history.events.findIndex((event) => event.type === "invoke" && event.f === "release");
  const of = (...servers: readonly string[]) => servers.map((server) => ({ ...messageTo(server), operation: release }));
  expect(await said([held()], denied, "sentinel", 0, of("node-0"))).toMatch(/^node-0 held k for that owner/);
  expect(await said([held()], denied, "sentinel", 0, of("node-1"))).toBeUndefined();
  expect(await said([held()], denied, "sentinel", 0, of("node-0", "node-1"))).toBeUndefined();
  expect(await said([held()], denied, "sentinel", 0, [messageTo("node-0")])).toBeUndefined();
  expect(await said([held()], denied, "redlock", 0, of("node-0"))).toBeUndefined();
});

test("nothing is shown of several servers, of a record with gaps, or where a clock was stepped", async () => {
  expect(await said([held()], denied, "sentinel")).toBeUndefined();
  expect(await said([held()], denied, "redlock")).toBeUndefined();
  expect(await said([held()], denied, "single", 1)).toBeUndefined();
  const stepped = waitedFor().fault(50, "clock-jump").release(100, 0, "a1", false).granted(950, 1, "b2");
  expect(await said([held()], stepped)).toBeUndefined();
});
