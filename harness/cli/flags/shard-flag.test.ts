import { expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import { Flags } from "../command.ts";
import { readShard } from "./shard-flag.ts";

const shard = (text: string): ReturnType<typeof readShard> => readShard(new Flags({ shard: text }));

test("a part is named by its number and how many there are", () => {
  expect(shard("2/4")).toEqual({ index: 2, count: 4 });
  expect(readShard(new Flags({}))).toBeUndefined();
});

test.each(["0/4", "5/4", "1", "1/", "1/0", "-1/2", "a/b", "1/2/3", " 1/2"])('"%s" is no part', (text) => {
  expect(() => shard(text)).toThrow(UserError);
});

test.each([
  ["an Indexed Job", { JOB_COMPLETION_INDEX: "2", LOCKSTORM_SHARDS: "4" }],
  ["a Slurm array", { SLURM_ARRAY_TASK_ID: "12", SLURM_ARRAY_TASK_MIN: "10", SLURM_ARRAY_TASK_COUNT: "4" }],
  ["GitLab", { CI_NODE_INDEX: "3", CI_NODE_TOTAL: "4" }],
  ["CircleCI", { CIRCLE_NODE_INDEX: "2", CIRCLE_NODE_TOTAL: "4" }],
  ["Buildkite", { BUILDKITE_PARALLEL_JOB: "2", BUILDKITE_PARALLEL_JOB_COUNT: "4" }],
])("the third job of four of %s is the third shard of four", (_, environment) => {
  expect(readShard(new Flags({ shard: "auto" }), environment)).toEqual({ index: 3, count: 4 });
});

test.each([
  [{}, "finds no number of a job"],
  [{ JOB_COMPLETION_INDEX: "0" }, "LOCKSTORM_SHARDS is not set"],
  [{ JOB_COMPLETION_INDEX: "0", LOCKSTORM_SHARDS: "eight" }, 'LOCKSTORM_SHARDS "eight" is not a whole number'],
  [{ JOB_COMPLETION_INDEX: "8", LOCKSTORM_SHARDS: "8" }, "JOB_COMPLETION_INDEX 8 is not one of 8 jobs"],
  [{ CI_NODE_INDEX: "0", CI_NODE_TOTAL: "4" }, "CI_NODE_INDEX 0 is not one of 4 jobs"],
])("auto with %j is refused in one line", (environment, words) => {
  expect(() => readShard(new Flags({ shard: "auto" }), environment)).toThrow(words);
});
