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
