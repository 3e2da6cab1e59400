import { expect, test } from "vitest";
import { parsePromoted, parseSwitch } from "./sentinels.ts";

test("both announcements of a promotion name the old master and the new", () => {
  expect(parseSwitch("lockstorm 10.213.0.10 6379 10.213.0.11 6379")).toEqual({
    from: "10.213.0.10",
    to: "10.213.0.11",
  });
  expect(parsePromoted("slave 10.213.0.11:6379 10.213.0.11 6379 @ lockstorm 10.213.0.10 6379")).toEqual({
    from: "10.213.0.10",
    to: "10.213.0.11",
  });
});

test("an announcement that says less says nothing", () => {
  expect(parseSwitch("lockstorm 10.213.0.10")).toBeUndefined();
  expect(parsePromoted("slave 10.213.0.11:6379 10.213.0.11 6379")).toBeUndefined();
});
