import { expect, test } from "vitest";
import { Backlog } from "./backlog.ts";

test("gives everything from an offset on, as long as it is kept", () => {
  const backlog = new Backlog(101, 10);
  expect(backlog.from(101)).toBe("");
  backlog.append("abcdef");
  expect(backlog.from(101)).toBe("abcdef");
  expect(backlog.from(104)).toBe("def");
  expect(backlog.from(107)).toBe("");
  expect([backlog.from(100), backlog.from(108)]).toEqual([undefined, undefined]);
  backlog.append("ghijklm");
  expect([backlog.first, backlog.length]).toEqual([104, 10]);
  expect([backlog.from(103), backlog.from(104)]).toEqual([undefined, "defghijklm"]);
});
