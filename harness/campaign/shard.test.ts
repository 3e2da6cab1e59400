import { expect, test } from "vitest";
import { wantedPositions } from "./hunt/hunt-journal.ts";
import { isInShard, missingShards, refuseMixedShards, shardSuffix } from "./shard.ts";

test("a part's files are named by its number and how many there are", () => {
  expect(shardSuffix({ index: 12, count: 12 })).toBe("-12-of-12");
  expect(shardSuffix(undefined)).toBe("");
});

test.each([1, 2, 3, 7])("of %i parts each piece is in exactly one", (count) => {
  const parameters = { lock: "a", topology: { kind: "single" }, faults: [], seed: 1, shrinkRuns: 0 };
  const shards = Array.from({ length: count }, (_, index) => ({ index: index + 1, count }));
  for (const runs of [1, 6, 7, 8]) {
    const pieces = Array.from({ length: runs + 2 }, (_, position) => position);
    for (const position of pieces) expect(shards.filter((each) => isInShard(position, each))).toHaveLength(1);
    for (const each of shards) {
      expect(wantedPositions({ ...parameters, runs, regressions: ["a", "b"] }, each)).toBe(
        pieces.filter((position) => isInShard(position, each)).length,
      );
    }
  }
});

const part = (index: number, count: number) => ({ file: `part-${index}-of-${count}`, shard: { index, count } });

test("parts of two divisions, a part that is there twice, and a whole among parts are refused by name", () => {
  expect(() => refuseMixedShards([part(2, 4), part(1, 4), part(4, 4)])).not.toThrow();
  expect(() => refuseMixedShards([{ file: "whole" }])).not.toThrow();
  expect(() => refuseMixedShards([part(1, 4), part(2, 3)])).toThrow(
    "part-1-of-4 is shard 1 of 4, and part-2-of-3 is shard 2 of 3",
  );
  expect(() => refuseMixedShards([part(1, 4), part(3, 4), { ...part(3, 4), file: "copy" }])).toThrow(
    "part-3-of-4 and copy both are shard 3 of 4",
  );
  expect(() => refuseMixedShards([part(1, 4), { file: "whole" }])).toThrow(
    "part-1-of-4 is shard 1 of 4, and whole is a whole campaign",
  );
});

test("missing parts are named, neighbours as a range", () => {
  const without = (count: number, ...missing: readonly number[]) =>
    Array.from({ length: count }, (_, position) => ({ index: position + 1, count })).filter(
      ({ index }) => !missing.includes(index),
    );
  expect(missingShards(without(4))).toBeUndefined();
  expect(missingShards([undefined])).toBeUndefined();
  expect(missingShards(without(4, 3))).toBe("shard 3 of 4");
  expect(missingShards(without(1000, 1, 2, 17, 500, 501, 502, 1000))).toBe("shard 1, 2, 17, 500 to 502, 1000 of 1000");
});
