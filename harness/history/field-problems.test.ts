import { describe, expect, it } from "vitest";
import { UserError } from "../core/errors.ts";
import { parseHistory } from "./history-reader.ts";

const ACQUIRE = { process: 0, type: "invoke", f: "acquire", key: "k", value: { ttlMs: 1000 } };
const GRANTED = { process: 0, type: "ok", f: "acquire", key: "k", value: { owner: "a" } };

/** What to do about a history of these events. */
function advice(...events: readonly object[]): string {
  const header = { format: "lockstorm-history", version: 2 };
  const lines = [header, ...events.map((event, index) => ({ index, time: index, ...event }))];
  try {
    parseHistory(lines.map((line) => JSON.stringify(line)).join("\n"), "h.jsonl");
  } catch (error) {
    if (error instanceof UserError) return error.hint;
    throw error;
  }
  return "nothing";
}

describe("what to write", () => {
  it("is an invocation, for a recorder of completions alone", () => {
    expect(advice(GRANTED)).toMatch(/^write two lines for each operation/);
    expect(advice(ACQUIRE, GRANTED, GRANTED)).toMatch(/^complete each operation once/);
    expect(advice(ACQUIRE, GRANTED)).toBe("nothing");
  });

  it("is the time of one clock, where times run backwards", () => {
    expect(advice({ ...ACQUIRE, time: 5 }, { ...GRANTED, time: 4 })).toMatch(/sort the lines by `time`.*by one clock/);
  });

  it("is an integer that keeps the order, for a fencing token of several parts", () => {
    const grant = (fence: unknown): string => advice(ACQUIRE, { ...GRANTED, value: { owner: "a", fence } });
    for (const parts of ["3-17", [3, 17], { epoch: 3, counter: 17 }]) expect(grant(parts)).toMatch(/1000000/);
    expect(grant(3_000_017)).toBe("nothing");
  });
});
