import { expect, test } from "vitest";
import { wantedPositions } from "./hunt/hunt-journal.ts";
import { isInShard, shardSuffix } from "./shard.ts";

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
