import { describe, expect, it } from "vitest";
import type { Completion } from "../../harness/core/lock-driver.ts";
import { decide, majority } from "./quorum.ts";

const yes: Completion<boolean> = { type: "ok", value: true };
const no: Completion<boolean> = { type: "ok", value: false };
const failed: Completion<boolean> = { type: "fail", kind: "error", reason: "not connected" };
const unknown: Completion<boolean> = { type: "info", reason: "timed out" };

describe("majority", () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [5, 3],
  ])("of %i is %i", (nodes, expected) => expect(majority(nodes)).toBe(expected));
});

describe("decide, three of five", () => {
  it.each([
    ["three yes", [yes, yes, yes, no, unknown], { type: "ok", value: true }],
    ["three no", [yes, yes, no, no, no], { type: "ok", value: false }],
    ["two yes and one unknown", [yes, yes, no, no, unknown], { type: "info", reason: "timed out" }],
    ["two yes and one failed", [yes, yes, no, no, failed], { type: "info", reason: "not connected" }],
    [
      "two no and three failed",
      [no, no, failed, failed, failed],
      { type: "fail", kind: "error", reason: "not connected" },
    ],
    ["all unknown", Array.from({ length: 5 }, () => unknown), { type: "info", reason: "timed out" }],
    ["all failed", Array.from({ length: 5 }, () => failed), { type: "fail", kind: "error", reason: "not connected" }],
  ])("%s", (_, answers, expected) => expect(decide(answers, 3)).toEqual(expected));
});

describe("decide, one of one", () => {
  it.each([
    ["yes", yes, yes],
    ["no", no, no],
    ["unknown", unknown, unknown],
    ["failed", failed, failed],
  ])("%s", (_, answer, expected) => expect(decide([answer], 1)).toEqual(expected));
});
