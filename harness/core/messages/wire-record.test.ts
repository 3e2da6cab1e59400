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
