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

  it("is the process of a line that no client writes, for one that has another or none", () => {
    const end = { type: "end", value: { run: "completed", at: 0 } };
    const freeze = { type: "notice", f: "freeze", value: { targets: [], from: 0, to: 0, evidence: "" } };
    const fault = { type: "fault", f: "pause", value: { phase: "start", targets: [], outcome: "installed" } };
    const audit = { type: "audit", key: "k", value: { position: 1, data: "d", accepted: true } };
    const lines = { harness: [end, freeze], nemesis: [fault], storage: [audit] };
    for (const [process, ofProcess] of Object.entries(lines)) {
      for (const line of ofProcess) {
        const mend = `write "process":"${process}": no client writes a line of this type`;
        for (const given of [{}, { process: 0 }, { process: "client" }])
          expect(advice({ ...line, ...given })).toBe(mend);
        expect(advice({ ...line, process })).toBe("nothing");
      }
    }
  });

  it("is one of the words that a field takes", () => {
    const end = { process: "harness", type: "end", value: { run: "done", at: 0 } };
    expect(advice(end)).toBe('write "completed" or "limit" or "interrupted" or "failed"');
    expect(advice({ ...ACQUIRE, value: { ttlMs: 1, mode: "write" } })).toMatch(/^give `shared` for a reader/);
  });

  it("is an integer that keeps the order, for a fencing token of several parts", () => {
    const grant = (fence: unknown): string => advice(ACQUIRE, { ...GRANTED, value: { owner: "a", fence } });
    for (const parts of ["3-17", [3, 17], { epoch: 3, counter: 17 }]) expect(grant(parts)).toMatch(/1000000/);
    expect(grant(3_000_017)).toBe("nothing");
  });

  it.each([
    { acquired: false },
    { success: "false" },
    { result: "contended" },
    { isLocked: true, granted: false },
    { status: "busy", note: "somebody" },
  ])("is a fail, for a try that ended well and says that it was refused: %o", (said) => {
    expect(advice(ACQUIRE, { ...GRANTED, value: { owner: "a", ...said } })).toMatch(/^write "type":"fail"/);
    const extension = { process: 0, f: "extend", key: "k" };
    const extended = [
      { ...extension, type: "invoke", value: { owner: "a", ttlMs: 1000 } },
      { ...extension, type: "ok", value: { owner: "a", ...said } },
    ];
    expect(advice(ACQUIRE, GRANTED, ...extended)).toMatch(/^write "type":"fail"/);
  });

  it.each([
    { acquired: true },
    { result: "OK" },
    { waited: false },
    { lost: false },
    { code: 0 },
    { acquired: null },
    { tries: 0 },
  ])("is nothing else, for a grant that says so in more fields, or something else: %o", (said) => {
    expect(advice(ACQUIRE, { ...GRANTED, value: { owner: "false", ...said } })).toBe("nothing");
  });

  it("is nothing else, for a release that says that the key is no longer locked", () => {
    const release = { process: 0, f: "release", key: "k" };
    const released = [
      { ...release, type: "invoke", value: { owner: "a" } },
      { ...release, type: "ok", value: { released: true, locked: false } },
    ];
    expect(advice(ACQUIRE, GRANTED, ...released)).toBe("nothing");
  });
});
