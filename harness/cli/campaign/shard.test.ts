import { expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import { Flags } from "../command.ts";
import { isInShard, readShard, shardSuffix } from "./shard.ts";
import { wantedPositions } from "./hunt-journal.ts";

const shard = (text: string): ReturnType<typeof readShard> => readShard(new Flags({ shard: text }));

test("a part is named by its number and how many there are", () => {
  expect(shard("2/4")).toEqual({ index: 2, count: 4 });
  expect(shardSuffix(shard("12/12"))).toBe("-12-of-12");
  expect(readShard(new Flags({}))).toBeUndefined();
});

test.each(["0/4", "5/4", "1", "1/", "1/0", "-1/2", "a/b", "1/2/3", " 1/2"])('"%s" is no part', (text) => {
  expect(() => shard(text)).toThrow(UserError);
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
