import { expect, it } from "vitest";
import { violationsOf } from "../../check/testing/judge.ts";
import { Recording } from "../../check/testing/recording.ts";
import type { WireRecord } from "../../core/messages/wire-record.ts";
import { planSchema } from "../../core/plan.ts";
import { takenOnServer } from "./taken-on-server.ts";

const MS = 1e6;
const plan = planSchema.parse({
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [{ sections: [] }, { sections: [] }, { sections: [] }],
  faults: [],
  limitMs: 30_000,
});

/** Client 2 asks while client 0 holds, and is refused; then client 1 is granted the key within the lease of client 0. */
const recording = new Recording({ clients: 3, backend: "simulated" })
  .acquire(0, 0, "a")
  .seek(100, 2)
  .refused(400, 2)
  .acquire(500, 1, "b")
  .release(600, 1, "b");
const TRY = 2;

/**
 * What is said of it, if the server did this at 399 ms, while it had the key for client 0 until 1,000 ms.
 *
 * @param operation index of the invocation for which it was sent
 */
function said(
  operation: number | undefined,
  { endedMs = 399, messages = 1, clockAheadNs = 0, recorded = recording } = {},
): string | undefined {
  const { history } = recorded;
  const [violation] = violationsOf("lease-exclusion", recorded);
  const proven = violation?.hypotheses?.find(({ cause }) => cause === "double-grant");
  if (violation === undefined || proven === undefined) throw new Error("the lock was not granted twice");
  const at = { server: "node-0", key: "lock:k", clockAheadNs: 0 };
  const sent: WireRecord["messages"][number] = {
    client: 2,
    server: "node-0",
    command: "DEL",
    keys: ["lock:k"],
    count: 1,
    connection: "client-2 1",
    sentNs: 100 * MS,
    appliedNs: endedMs * MS,
    operation,
  };
  const wire: WireRecord = {
    format: "lockstorm-wire",
    version: 1,
    messages: Array.from({ length: messages }, () => sent),
    keys: [
      { ...at, atNs: MS, value: "a", expiresInNs: 999 * MS },
      { ...at, atNs: endedMs * MS, clockAheadNs },
      { ...at, atNs: 499.5 * MS, value: "b", expiresInNs: 1000 * MS },
    ],
    replication: [],
    votes: [],
    leftOut: 0,
  };
  const verdict = { verdict: "invalid", required: [], properties: {}, reasons: [], remarks: [] } as const;
  return takenOnServer({ plan, history, verdict }, violation, proven, wire)?.why;
}

it("names the refused try that took the lock from its holder", () => {
  expect(said(TRY)).toContain(
    "client-2 took the lock from client-0 while it tried to acquire it, by DEL at 399 ms (events 2 and 3)",
  );
});

it("says nothing of what no try did, of a lease that was over, or of one of two messages", () => {
  const granted = recording.history.events.findIndex(({ type, process }) => type === "invoke" && process === 1);
  expect(said(undefined)).toBeUndefined();
  expect(said(0)).toBeUndefined();
  expect(said(granted)).toBeUndefined();
  expect(said(TRY, { endedMs: 1000 })).toBeUndefined();
  expect(said(TRY, { messages: 2 })).toBeUndefined();
  expect(said(TRY, { endedMs: 600 })).toBeUndefined();
  expect(said(TRY, { clockAheadNs: 1 })).toBeUndefined();
});

it("says nothing of what the holder does itself", () => {
  const again = new Recording({ clients: 3, backend: "simulated", tasks: [2] })
    .acquire(0, 0, "a")
    .seek(100, 3)
    .refused(400, 3)
    .acquire(500, 1, "b")
    .release(600, 1, "b");
  expect(said(TRY, { recorded: again })).toBeUndefined();
});

it("names no event that is not the answer to the try", () => {
  const told = new Recording({ clients: 3, backend: "simulated" })
    .acquire(0, 0, "a")
    .seek(100, 2)
    .lost(300, 2, "z")
    .refused(400, 2)
    .acquire(500, 1, "b")
    .release(600, 1, "b");
  expect(said(TRY, { recorded: told })).toContain("(events 2 and 4)");
});
