import { expect, test } from "vitest";
import type { Verdict } from "../../core/verdict.ts";
import { outcomeWords, reasonsInWords } from "./outcome-words.ts";

function because(...reasons: readonly string[]): Verdict {
  return { verdict: "unknown", required: ["lease-exclusion"], properties: {}, reasons, remarks: [] };
}

test("a run that decides nothing says its own reason, not the kind of reason", () => {
  const reason = "acquire of client-1 at 1,204 ms (event 7):\n it printed a line that is not UTF-8: caf\uFFFD";
  expect(outcomeWords(because(reason, "another"))).toBe(`unknown: ${reason.replace("\n", "")}`);
});

test("a run without any reason says that the evidence does not decide", () => {
  expect(outcomeWords(because())).toBe("unknown: the evidence does not decide");
});

test("a long reason is cut", () => {
  expect(outcomeWords(because("why ".repeat(1000)))).toHaveLength("unknown: ".length + 200);
});

test("a run that decides says what", () => {
  expect(outcomeWords({ ...because(), verdict: "valid" })).toBe("valid");
});

test("all reasons of a run are told, and of many how many more there are", () => {
  expect(reasonsInWords(because("the run reached\nits limit", "no owner"))).toBe("the run reached its limit; no owner");
  expect(reasonsInWords(because("a", "b", "c", "d"))).toBe("a; b; c; and 1 more reason");
  expect(reasonsInWords(because("a", "b", "c", "d", "e"))).toBe("a; b; c; and 2 more reasons");
  expect(reasonsInWords(because("why ".repeat(1000)))).toHaveLength(200);
});
