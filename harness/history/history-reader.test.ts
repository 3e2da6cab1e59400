import { describe, expect, it } from "vitest";
import { UserError } from "../core/errors.ts";
import { HistoryReader, parseHistory } from "./history-reader.ts";
import { OPERATIONS, type History } from "./history.ts";

const HEADER = '{"format":"lockstorm-history","version":1,"clients":2,"lock":"single","backend":"simulated"}';

/** A line of a history; `index` and `time` follow from its place. */
function line(index: number, event: object): string {
  return JSON.stringify({ index, time: index * 1000, ...event });
}

function lines(...events: readonly object[]): readonly string[] {
  return [HEADER, ...events.map((event, index) => line(index, event))];
}

const acquire = (process: number, key = "k"): object => ({
  process,
  type: "invoke",
  f: "acquire",
  key,
  value: { ttlMs: 1000 },
});
const granted = (process: number, key = "k"): object => ({
  process,
  type: "ok",
  f: "acquire",
  key,
  value: { owner: "a" },
});
const info = (process: number): object => ({
  process,
  type: "info",
  f: "acquire",
  key: "k",
  value: { reason: "reset" },
});
const release = (process: number): object => ({
  process,
  type: "invoke",
  f: "release",
  key: "k",
  value: { owner: "a" },
});

/** The error message, one line, and its hint. */
function refusal(text: readonly string[]): { readonly message: string; readonly hint: string } {
  try {
    parseHistory(text.join("\n"), "h.jsonl");
  } catch (error) {
    if (error instanceof UserError) return { message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("it was read");
}

describe("a history", () => {
  it("is read with all its fields, known or not", () => {
    const history = parseHistory(
      [...lines({ ...acquire(0), value: { ttlMs: 1000, note: "x" }, extra: [1] }, granted(0))].join("\n"),
      "h.jsonl",
    );
    expect(history.header).toMatchObject({ clients: 2, lock: "single", backend: "simulated" });
    expect(history.events[0]).toEqual({
      index: 0,
      time: 0,
      process: 0,
      type: "invoke",
      f: "acquire",
      key: "k",
      value: { ttlMs: 1000, note: "x" },
      extra: [1],
    });
    expect(history.events).toHaveLength(2);
  });

  it("may end with a blank line, or several", () => {
    expect(parseHistory(`${lines(acquire(0)).join("\n")}\n\n`, "h").events).toHaveLength(1);
  });

  it("may have carriage returns", () => {
    expect(parseHistory(lines(acquire(0), granted(0)).join("\r\n"), "h").events).toHaveLength(2);
  });

  it("may end with an operation open", () => {
    expect(parseHistory(lines(acquire(0), granted(0), acquire(1)).join("\n"), "h").events).toHaveLength(3);
  });

  it("may have two events at one time", () => {
    expect(() => parseHistory(lines(acquire(0), { ...granted(0), time: 0 }).join("\n"), "h")).not.toThrow();
  });

  it("may hold every kind of event", () => {
    const values: Record<string, readonly [object | undefined, object | undefined]> = {
      acquire: [
        { ttlMs: 1, waitMs: 0 },
        { owner: "a", fence: 1, validForMs: -1.5, grantedAt: 3 },
      ],
      extend: [{ owner: "a", ttlMs: 5 }, { owner: "a" }],
      release: [{ owner: "a" }, { released: false }],
      write: [{ data: "d", basedOn: 0 }, { position: 1 }],
      read: [undefined, { position: 0 }],
      observe: [undefined, undefined],
    };
    const operations = OPERATIONS.flatMap((f) => [
      { process: 0, type: "invoke", f, key: "k", value: values[f]?.[0] },
      { process: 0, type: "ok", f, key: "k", value: values[f]?.[1] },
    ]);
    const fault = {
      process: "nemesis",
      type: "fault",
      f: "reset",
      value: { phase: "start", targets: [], outcome: "installed" },
    };
    const audit = { process: "storage", type: "audit", key: "k", value: { position: 1, data: "d", accepted: true } };
    const lost = { process: 0, type: "lost", f: "lease", key: "k", value: { owner: "a" } };
    const history = parseHistory(lines(...operations, fault, audit, lost).join("\n"), "h");
    expect(history.events).toHaveLength(15);
  });

  it("can be streamed: the header is known as soon as its line was read", () => {
    const reader = new HistoryReader("h");
    expect(reader.header).toBeUndefined();
    expect(reader.push(HEADER)).toBeUndefined();
    expect(reader.header?.clients).toBe(2);
    expect(reader.push(line(0, acquire(0)))).toMatchObject({ index: 0, f: "acquire" });
    expect(reader.end().version).toBe(1);
  });
});

describe("the end of a history", () => {
  const MARKED = HEADER.replace('"version":1', '"version":2');
  const END = '{"index":1,"time":9,"process":"harness","type":"end","value":{"run":"completed","at":7}}';
  const begun = [MARKED, line(0, acquire(0))];
  const read = (...lines: readonly string[]): History => parseHistory(lines.join("\n"), "h.jsonl");

  it.each([
    ["with a line feed", ""],
    ["without one", undefined],
  ])("is its marker, %s", (_, last) => {
    const { events, end, cutLine } = read(...begun, END, ...(last === undefined ? [] : [last]));
    expect(events).toHaveLength(1);
    expect(end).toMatchObject({ index: 1, time: 9, value: { run: "completed", at: 7 } });
    expect(cutLine).toBeUndefined();
  });

  it("is missing where the writer was killed between two lines", () => {
    expect(read(...begun, "")).toEqual({ header: JSON.parse(MARKED), events: [JSON.parse(line(0, acquire(0)))] });
  });

  it("may be cut anywhere within its last line: the events before it are there", () => {
    const whole = line(1, granted(0));
    for (let length = 1; length < whole.length; length += 1) {
      const { events, end, cutLine } = read(...begun, whole.slice(0, length));
      expect([events.length, end, cutLine]).toEqual([1, undefined, 3]);
    }
    for (let length = 1; length < END.length; length += 1) {
      expect(read(...begun, END.slice(0, length))).toMatchObject({ cutLine: 3 });
    }
  });

  it.each([
    ["a cut line that has its line feed", [...begun, line(1, granted(0)).slice(0, 40), ""], "line 3: not JSON"],
    ["a cut line in the middle", [...begun, "{", END], "line 3: not JSON"],
    ["a cut header", [MARKED.slice(0, 40)], "line 1: not JSON"],
    ["a cut line in version 1", [HEADER, "{"], "line 2: not JSON"],
    ["an event after it", [...begun, END, line(2, granted(0))], "line 4: it follows the end marker"],
    ["half a line after it", [...begun, END, "{"], "line 4: not JSON"],
    ["a second one", [...begun, END, END.replace('"index":1', '"index":2')], "line 4: it follows the end marker"],
    ["one that counts other events", [MARKED, END], "line 2: index 1 where 0 is expected"],
    [
      "one before its time",
      [MARKED, begun[1]?.replace('"time":0', '"time":10') ?? "", END],
      "line 3: time goes backwards",
    ],
    ["one that says nothing", [...begun, END.replace("completed", "?")], "line 3: value.run"],
    ["one in version 1", [HEADER, line(0, acquire(0)), END], 'line 3: unknown event "type":"end"'],
  ])("is damaged: %s", (_, lines, message) => {
    expect(() => read(...lines)).toThrow(`h.jsonl, ${message}`);
  });
});

const SEVERAL_LINES = "not JSON on one line (is it a JSON document of several lines?)";

describe("a file that is no history", () => {
  it.each([
    ["empty", [""], "h.jsonl holds no history: its first line is missing"],
    ["only blank lines", ["", "  ", ""], "h.jsonl holds no history: its first line is missing"],
    ["another format", ['{"format":"jepsen"}'], 'h.jsonl, line 1: no "format":"lockstorm-history" in the first line'],
    [
      "a recording of serve",
      ['{"format":"lockstorm-commands","version":1,"topology":"single","seed":1}'],
      "h.jsonl, line 1: not a history, but a recording of `lockstorm serve`, which has commands and replies and says nothing of what clients believed",
    ],
    [
      "a recording of serve under its old name",
      ['{"format":"lockstorm-wire","version":1,"topology":"single","seed":1}'],
      "h.jsonl, line 1: not a history, but a recording of `lockstorm serve`, which has commands and replies and says nothing of what clients believed",
    ],
    [
      "the wire of a kept run",
      ['{"format":"lockstorm-wire","version":1,"messages":[]}'],
      "h.jsonl, line 1: not a history, but what went over the wire of a kept run",
    ],
    ["a plan", ['{"format":"lockstorm-plan"}'], "h.jsonl, line 1: not a history, but a plan"],
    ["an array", ["[1]"], "h.jsonl, line 1: a JSON array"],
    ["text", ["hello"], "h.jsonl, line 1: not JSON"],
    ["HTML", ["<!doctype html>"], "h.jsonl, line 1: not JSON"],
    ["CSV", ["index,time,process", "0,0,1"], "h.jsonl, line 1: not JSON"],
    ["JSON of several lines", ["{", '  "format": "lockstorm-history",'], `h.jsonl, line 1: ${SEVERAL_LINES}`],
    ["a JSON array of several lines", ["[", "  {},"], `h.jsonl, line 1: ${SEVERAL_LINES}`],
    ["a header that is cut off", ['{"format":"lockst'], "h.jsonl, line 1: not JSON (is the line truncated?)"],
    ["no header", [line(0, acquire(0))], 'h.jsonl, line 1: no "format":"lockstorm-history" in the first line'],
  ])("%s", (_, text, message) => {
    expect(refusal(text).message).toBe(message);
  });

  it.each([
    ["hello", "a history has one JSON object on each line: see docs/history.md"],
    ["{", "write each object of the history on one line of its own, as `jq -c` does"],
    ["[", "write each object of the history on one line of its own, as `jq -c` does: `jq -c '.[]'` for an array"],
    ['[{"index":0}]', "write each object of the history on one line of its own, as `jq -c '.[]'` does"],
    ["{}", 'begin the file with a line {"format":"lockstorm-history","version":2,"clients":<number>}'],
    ['{"format"', "remove the incomplete line, or record the history again"],
  ])("that begins with %s is refused with what to do", (text, hint) => {
    expect(refusal([text]).hint).toBe(hint);
  });

  it("has a version from the future", () => {
    const { message, hint } = refusal(['{"format":"lockstorm-history","version":3}']);
    expect(message).toBe("h.jsonl, line 1: format version 3 is newer than 2");
    expect(hint).toBe("update lockstorm");
  });

  it.each(["0", '"1"', "null", "1.5"])("has version %s", (version) => {
    const { message } = refusal([`{"format":"lockstorm-history","version":${version}}`]);
    expect(message).toMatch(/^h\.jsonl, line 1: (bad header: version|format version)/);
  });

  it("has clients that are no number", () => {
    expect(refusal(['{"format":"lockstorm-history","version":1,"clients":"two"}']).message).toMatch(
      /bad header: clients/,
    );
  });
});

describe("a broken line", () => {
  it.each([
    ["is cut off", line(1, granted(0)).slice(0, 30), "not JSON (is the line truncated?)"],
    ["has a raw tab in a string", '{"f":"a\tb"}', "not JSON: the control character U+0009 in column 8"],
    ["has a NUL between fields", '{"f":1,\0"g":2}', "not JSON: the control character U+0000 in column 8"],
    ["has NaN", '{"time":NaN}', "not JSON: it has no value NaN"],
    ["has -Infinity", '{"time": -Infinity}', "not JSON: it has no value -Infinity"],
    ["has Python's None", '{"value":None}', "not JSON: it has no value None"],
    ["is cut off after an escaped quotation mark", '{"f":"NaN \\"', "not JSON (is the line truncated?)"],
    ["is cut off after a tab", '{\t"f":"None",', "not JSON (is the line truncated?)"],
    ["is no object", "7", "an event is a JSON object"],
    ["has no type", line(1, { ...granted(0), type: undefined }), 'unknown event "type":undefined, "f":"acquire"'],
    ["has an unknown type", line(1, { ...granted(0), type: "done" }), 'unknown event "type":"done", "f":"acquire"'],
    ["has an unknown f", line(1, { ...granted(0), f: "lock" }), 'unknown event "type":"ok", "f":"lock"'],
    ["has no owner", line(1, { ...granted(0), value: {} }), /^value\.owner: /],
    ["has an empty owner", line(1, { ...granted(0), value: { owner: "" } }), /^value\.owner: /],
    ["has no value", line(1, { ...granted(0), value: undefined }), /^value: /],
    [
      "has a fence that is no integer",
      line(1, { ...granted(0), value: { owner: "a", fence: 1.5 } }),
      /^value\.fence: /,
    ],
    ["has a process that is a string", line(1, { ...granted(0), process: "0" }), /^process: /],
    ["has a negative process", line(1, { ...granted(0), process: -1 }), /^process: /],
    ["has no key", line(1, { ...granted(0), key: undefined }), /^key: /],
    ["has a key that is a number", line(1, { ...granted(0), key: 5 }), /^key: /],
    ["has a time with a fraction", line(1, { ...granted(0), time: 1000.5 }), /^time: /],
    ["has a time beyond exact integers", line(1, { ...granted(0), time: 2 ** 53 }), /^time: /],
    ["has no time", line(1, { ...granted(0), time: undefined }), /^time: /],
    ["has a fault of a client", line(1, { process: 0, type: "fault", f: "reset" }), /^process: /],
    ["has an audit without position", line(1, { process: "storage", type: "audit", key: "k", value: {} }), /^value\./],
    [
      "gives a field twice",
      line(1, granted(0)).replace('"owner":"a"', '"owner":"a","owner":"b"'),
      '"owner" is given twice in one object',
    ],
    ["leaves out an index", line(2, granted(0)), "index 2 where 1 is expected"],
    ["repeats an index", line(0, { ...granted(0), time: 1000 }), "index 0 where 1 is expected"],
  ])("%s", (_, text, problem) => {
    const { message } = refusal([...lines(acquire(0)), text]);
    expect(message.startsWith("h.jsonl, line 3: ")).toBe(true);
    expect(message.slice("h.jsonl, line 3: ".length)).toEqual(
      typeof problem === "string" ? problem : expect.stringMatching(problem),
    );
  });

  it.each([
    [
      "a fencing token",
      line(1, { ...granted(0), value: { owner: "a", fence: 2 ** 53 } }),
      "value.fence",
      "fencing tokens",
    ],
    ["a time", line(1, { ...granted(0), time: 2 ** 60 }), "time", "the time of the first event"],
  ])("with %s beyond 2^53 is refused with what to do", (_, text, field, advice) => {
    const { message, hint } = refusal([...lines(acquire(0)), text]);
    expect(message).toBe(`h.jsonl, line 3: ${field}: too large to be exact, beyond 2^53`);
    expect(hint).toMatch(/^[^\n]*subtract [^\n]*$/);
    expect(hint).toContain(advice);
  });

  it.each([
    ["index: missing", { index: undefined }, "number the events from 0, without gaps"],
    ["time: missing", { time: undefined }, /^give an integer number of nanoseconds/],
    [
      "time: Invalid input: expected number, received string",
      { time: "2026-11-26" },
      /^give an integer number of nano/,
    ],
    ["process: Invalid input: expected number, received string", { process: "web-1" }, /^number the clients from 0/],
    ["value.ttlMs: missing", { value: {} }, /1000000000 for a lock whose leases do not end by themselves/],
    ["value: missing", { value: undefined }, /docs\/history.md/],
    [
      "value.waitMs: Too small: expected number to be >=0",
      { value: { ttlMs: 1000, waitMs: -1 } },
      /^give how long the client waits at most/,
    ],
    [
      'value.mode: Invalid option: expected one of "shared"|"exclusive"',
      { value: { ttlMs: 1000, mode: "read" } },
      /`shared` for a reader/,
    ],
    ['unknown event "type":"hold", "f":"acquire"', { type: "hold" }, /two lines for each operation/],
  ])("is refused with what to write: %s", (problem, fields, advice) => {
    const { message, hint } = refusal([HEADER, line(0, { ...acquire(0), ...fields })]);
    expect(message).toBe(`h.jsonl, line 2: ${problem}`);
    expect(hint).toMatch(advice);
  });

  it("is counted with blank lines", () => {
    expect(refusal([HEADER, "", "x"]).message).toBe("h.jsonl, line 3: not JSON");
  });
});

describe("a wrong order", () => {
  it.each([
    [
      "time runs backwards",
      [
        { ...acquire(0), time: 5 },
        { ...granted(0), time: 4 },
      ],
      3,
      "time goes backwards, from 5 to 4",
    ],
    [
      "two operations open",
      [acquire(0), acquire(0, "k2")],
      3,
      "process 0 invokes acquire while its acquire of line 2 is open",
    ],
    [
      "completed twice",
      [acquire(0), granted(0), granted(0)],
      4,
      "process 0 completes acquire, but it has no open operation",
    ],
    ["completed and never invoked", [granted(0)], 2, "process 0 completes acquire, but it has no open operation"],
    [
      "another operation completed",
      [release(0), granted(0)],
      3,
      'process 0 completes acquire of "k", but release of "k" (line 2) is open',
    ],
    [
      "an operation on another key completed",
      [acquire(0), granted(0, "k2")],
      3,
      'process 0 completes acquire of "k2", but acquire of "k" (line 2) is open',
    ],
    [
      "a process goes on after info",
      [acquire(0), info(0), release(0)],
      4,
      "process 0 continues after its indeterminate operation in line 3",
    ],
  ])("%s", (_, events, number, problem) => {
    expect(refusal(lines(...events))).toEqual({
      message: `h.jsonl, line ${number}: ${problem}`,
      hint: expect.stringMatching(/^[a-z].*[^.]$/),
    });
  });

  it("is none when another process goes on after info", () => {
    expect(() => parseHistory(lines(acquire(0), info(0), release(2)).join("\n"), "h")).not.toThrow();
  });

  it("is none when a retired process is told that its lease is lost", () => {
    const lost = { process: 0, type: "lost", f: "lease", key: "k", value: { owner: "a" } };
    expect(() => parseHistory(lines(acquire(0), info(0), lost).join("\n"), "h")).not.toThrow();
  });
});
