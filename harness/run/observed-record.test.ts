import { expect, test } from "vitest";
import type { ObservedMessage } from "../core/messages/observed-wire.ts";
import { wireRecordSchema } from "../core/messages/wire-record.ts";
import type { Verdict } from "../core/verdict.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import { observedRecord } from "./observed-record.ts";

const verdict: Verdict = { verdict: "valid", required: [], properties: {}, reasons: [], remarks: [] };
const message: ObservedMessage = {
  client: 0,
  server: "node-0",
  command: "SET",
  keys: ["k"],
  count: 1,
  connection: "client-0>node-0#1",
  sentNs: 0,
};

/** Two clients: client-0 acquires, and releases without an answer; then, as process 2, it acquires again. */
function history(): History {
  const acquire = { f: "acquire", key: "k" } as const;
  const release = { f: "release", key: "k" } as const;
  const granted = { owner: "a", validForMs: 100 };
  const events = [
    { process: 0, time: 10, type: "invoke", ...acquire, value: { ttlMs: 100, waitMs: 0 } },
    { process: 1, time: 15, type: "invoke", ...acquire, value: { ttlMs: 100, waitMs: 0 } },
    { process: 0, time: 20, type: "ok", ...acquire, value: granted },
    { process: 0, time: 30, type: "invoke", ...release, value: { owner: "a" } },
    { process: 0, time: 40, type: "info", ...release, value: {} },
    { process: 2, time: 60, type: "invoke", ...acquire, value: { ttlMs: 100, waitMs: 0 } },
    { process: 2, time: 70, type: "ok", ...acquire, value: granted },
  ].map((event, index) => ({ ...event, index })) as unknown as readonly HistoryEvent[];
  return { header: { format: "lockstorm-history", version: 1, clients: 2 }, events } as unknown as History;
}

test("a command belongs to the operation of its client that was under way when it was sent", () => {
  const times = [5, 10, 20, 25, 35, 50, 65, 75];
  const seen = times.map((sentNs) => ({ ...message, sentNs }));
  const record = observedRecord({ messages: seen, leftOut: 3, seenAt: "proxy", gaps: ["votes"] }, history(), verdict);
  const own = record.messages.map(({ operation }) => operation);
  // At 50 the release, whose outcome is not known, may still be sending; at 75 nothing is under way, neither it.
  expect(own).toEqual([undefined, 0, 0, undefined, 3, 3, 5, undefined]);
  expect(record).toMatchObject({ leftOut: 3, seenAt: "proxy", gaps: ["votes"], keys: [], replication: [], votes: [] });
  expect(wireRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toMatchObject({ leftOut: 3 });
  const other = { ...message, client: 1, sentNs: 50 };
  expect(
    observedRecord({ messages: [other], leftOut: 0, seenAt: "proxy", gaps: [] }, history(), verdict).messages[0]
      ?.operation,
  ).toBe(1);
});
