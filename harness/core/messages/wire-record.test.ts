import { expect, test } from "vitest";
import { boundedWire, wireRecordSchema } from "./wire-record.ts";

const votes = (count: number): { sentinel: string; candidate: string; epoch: number; atNs: number }[] =>
  Array.from({ length: count }, (_, atNs) => ({ sentinel: "sentinel-0", candidate: "sentinel-0", epoch: 1, atNs }));

test("a record keeps what is around the focus, and counts what it leaves out", () => {
  const empty = { messages: [], keys: [], replication: [] };
  expect(boundedWire({ ...empty, votes: votes(10) }, 5)).toMatchObject({ leftOut: 0, votes: { length: 10 } });
  const bounded = boundedWire({ ...empty, votes: votes(20_000) }, 12_000);
  expect([bounded.votes.length, bounded.leftOut]).toEqual([5000, 15_000]);
  expect(bounded.votes.some(({ atNs }) => atNs === 12_000)).toBe(true);
  expect(boundedWire({ ...empty, votes: votes(20_000) }, 1e9).votes.at(-1)?.atNs).toBe(19_999);
  expect(boundedWire({ ...empty, votes: votes(20_000) }, 0).votes[0]?.atNs).toBe(0);
  expect(wireRecordSchema.parse(JSON.parse(JSON.stringify(bounded)))).toEqual(bounded);
});

test("a record says where messages were seen and what nobody saw, and can be read whatever the keys are", () => {
  const message = { client: 0, server: "node-0", command: "DEL", count: 1, connection: "client-0>node-0#1", sentNs: 1 };
  const keys = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(300, "k"));
  const whole = { messages: [{ ...message, keys }], keys: [], replication: [], votes: [] };
  const seen = boundedWire({ ...whole, seenAt: "proxy", gaps: ["votes were not observed"] }, 0);
  expect(wireRecordSchema.parse(JSON.parse(JSON.stringify(seen)))).toEqual(seen);
  expect(seen).toMatchObject({ seenAt: "proxy", gaps: ["votes were not observed"] });
  expect(boundedWire(whole, 0)).not.toHaveProperty("seenAt");
});
