import { describe, expect, it } from "vitest";
import { UserError } from "../../core/errors.ts";
import type { HistoryEvent } from "../history.ts";
import { checkStream, type StreamOptions } from "../../check/check-stream.ts";
import { EdnReader, looksLikeEdn } from "./edn-reader.ts";

function read(text: string): readonly HistoryEvent[] {
  const reader = new EdnReader("history.edn");
  return text.split("\n").flatMap((line) => reader.push(line));
}

async function judge(lines: readonly string[], options: StreamOptions = {}): Promise<string | undefined> {
  const { verdict } = await checkStream([lines.join("\n")], "history.edn", { foreign: true, ...options });
  return verdict.verdict;
}

function refusal(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error("it was read");
}

/** As the mutex workloads of Jepsen's etcd and Hazelcast tests record them. */
const mutex = [
  "{:type :invoke, :f :acquire, :value nil, :process 0, :time 10, :index 0}",
  "{:type :invoke, :f :acquire, :value nil, :process 1, :time 20, :index 1}",
  "{:type :ok, :f :acquire, :value nil, :process 0, :time 30, :index 2}",
  "{:type :fail, :f :acquire, :value nil, :process 1, :time 40, :index 3}",
  "{:type :invoke, :f :release, :value nil, :process 0, :time 50, :index 4}",
  "{:type :ok, :f :release, :value nil, :process 0, :time 60, :index 5}",
];

const unnumbered = mutex[0]?.replace(", :index 0", "");

describe("a history of Jepsen's", () => {
  it.each(["lock/acquire", "try-lock", "TRY_LOCK", "tryLock", "acquire-lock", "TryAcquire"])(
    "may call an acquire %s",
    (name) => {
      expect(read(mutex.map((line) => line.replace(":acquire", `:${name}`)).join("\n"))).toEqual(
        read(mutex.join("\n")),
      );
    },
  );

  it.each(["false", ":contended", '"busy"', "{:acquired false}", "{:success? false, :owner nil}"])(
    "may end a refused acquire well, with the value %s",
    async (said) => {
      const ended = mutex.map((line) =>
        line.replace(":fail, :f :acquire, :value nil", `:ok, :f :acquire, :value ${said}`),
      );
      expect(read(ended.join("\n"))[3]).toMatchObject({ type: "fail", value: { reason: "contended" } });
      expect(await judge(ended)).toBe("valid");
      const granted = mutex.map((line) =>
        line.replace(":fail, :f :acquire, :value nil", ":ok, :f :acquire, :value :done"),
      );
      expect(await judge(granted)).toBe("invalid");
    },
  );

  it("may say in a field that a release found nothing", () => {
    const [, , , , asked = "", ended = ""] = mutex;
    const lines = [...mutex.slice(0, 3), asked, ended.replace(":value nil", ":value {:released? false}")];
    expect(read(lines.join("\n")).at(-1)).toMatchObject({ type: "ok", f: "release", value: { released: false } });
  });

  it("leaves out operations of other names, whatever their namespace", () => {
    expect(read("{:type :invoke, :f :register/write, :value nil, :process 0, :time 10}")).toEqual([]);
  });

  it("may name owners where they ask, or only afterwards", async () => {
    const said = (asked: string, granted: string): readonly string[] => [
      `{:type :invoke, :f :acquire, :value ${asked}, :process 0}`,
      `{:type :ok, :f :acquire, :value ${granted}, :process 0}`,
      '{:type :invoke, :f :release, :value {:owner "a"}, :process 0}',
      "{:type :ok, :f :release, :value true, :process 0}",
      "{:type :invoke, :f :acquire, :value nil, :process 1}",
    ];
    const ownersIn = (lines: readonly string[]) =>
      read(lines.join("\n")).flatMap(({ value }) => (value !== undefined && "owner" in value ? [value.owner] : []));
    expect(new Set(ownersIn(said('{:owner "a"}', "nil")))).toEqual(new Set(["a"]));
    expect(new Set(ownersIn(said("nil", "{:lock {:owner 1}}")))).toEqual(new Set(["process-0"]));
    for (const lines of [said('{:owner "a"}', "nil"), said("nil", "{:lock {:owner 1}}")]) {
      expect(await judge([...lines, "{:type :ok, :f :acquire, :value nil, :process 1}"])).toBe("valid");
    }
  });

  it("is of a semaphore where its acquires state a limit", async () => {
    const two = mutex.map((line) => line.replace(":type :fail", ":type :ok"));
    expect(await judge(two)).toBe("invalid");
    const stated = two.map((line) =>
      line.replace(":invoke, :f :acquire, :value nil", ":invoke, :f :acquire, :value {:limit 2}"),
    );
    expect(await judge(stated)).toBe("valid");
  });

  it("is told by its first line", () => {
    for (const line of [mutex[0]!, "#jepsen.history.Op{:type :ok}", "[{:type :ok}", " ({:type :ok}", "; a comment"]) {
      expect(looksLikeEdn(line)).toBe(true);
    }
    for (const line of ['{"format":"lockstorm-history"}', '[{"type":"ok"}]', "[1]".slice(1), "", "x", "{}"]) {
      expect(looksLikeEdn(line)).toBe(false);
    }
  });

  it("may be of a semaphore or of a read-write lock, as the values of its acquires say", () => {
    const [acquire = ""] = mutex;
    const valueOf = (value: string): unknown => read(acquire.replace("nil", value))[0];
    expect(valueOf("{:limit 2, :permits 1}")).toMatchObject({ value: { limit: 2, permits: 1 } });
    expect(valueOf("{:mode :shared}")).toMatchObject({ value: { mode: "shared" } });
    expect(refusal(acquire.replace("nil", "{:limit 2, :permits 3}"))).toContain("`permits` is larger than `limit`");
  });

  it("is refused where its numbers are too large to be exact", () => {
    const [acquire = "", , granted = ""] = mutex;
    const since1970 = acquire.replace(":time 10", ":time 1732320000000000001");
    expect(refusal(since1970)).toContain(":time: too large to be exact");
    const token = granted.replace("nil", "{:fence 9223372036854775807}");
    expect(refusal(`${acquire}\n${token}`)).toContain("value.fence: too large to be exact");
    const parts = granted.replace("nil", "{:fence [1 17]}");
    expect(refusal(`${acquire}\n${parts}`)).toContain("received array");
  });

  it("is refused with the operation and the field that do not fit, where it is of another workload", () => {
    expect(refusal("{:type :invoke, :f :write, :value {:data 0}, :process 0}")).toContain(
      ":invoke :write: value.data: ",
    );
  });

  it("is refused where a lease has no time: nobody can tell whether it was over", () => {
    const [acquire = ""] = mutex;
    const untimed = acquire.replace(":time 10, ", "");
    expect(read(untimed)).toHaveLength(1);
    expect(refusal(untimed.replace("nil", "{:ttlMs 10}"))).toContain("without a :time");
  });

  it("is refused where a lease has a time that is no integer, which may be in seconds", () => {
    const [acquire = ""] = mutex;
    const inSeconds = acquire.replace(":time 10", ":time 0.25");
    expect(read(inSeconds)).toHaveLength(1);
    expect(refusal(inSeconds.replace("nil", "{:ttlMs 10}"))).toContain(":time that is no integer");
  });

  it("becomes events", () => {
    expect(read(mutex.join("\n"))).toEqual([
      { index: 0, time: 10, process: 0, type: "invoke", f: "acquire", key: "lock", value: { ttlMs: 1e9 } },
      { index: 1, time: 20, process: 1, type: "invoke", f: "acquire", key: "lock", value: { ttlMs: 1e9 } },
      { index: 2, time: 30, process: 0, type: "ok", f: "acquire", key: "lock", value: { owner: "process-0" } },
      { index: 3, time: 40, process: 1, type: "fail", f: "acquire", key: "lock", value: { reason: "contended" } },
      { index: 4, time: 50, process: 0, type: "invoke", f: "release", key: "lock", value: { owner: "process-0" } },
      { index: 5, time: 60, process: 0, type: "ok", f: "release", key: "lock", value: { released: true } },
    ]);
  });

  it("is judged", async () => {
    expect(await judge(mutex)).toBe("valid");
    const broken = mutex.map((line) => line.replace("{:type :fail", "{:type :ok"));
    expect(await judge(broken)).toBe("invalid");
  });

  it.each([
    ["a vector on one line", `[${mutex.join(" ")}]`],
    ["a vector on many lines", `[${mutex.join("\n ")}]`],
    ["a list", `(${mutex.join("\n ")})`],
    ["maps on many lines", mutex.join("\n").replaceAll(", ", ",\n\n")],
    ["records", mutex.map((line) => `#jepsen.history.Op${line}`).join("\n")],
    ["with comments and blank lines", `; a run\n\n${mutex.join("\n\n")}\n`],
  ])("may be %s", (_, text) => {
    expect(read(text)).toEqual(read(mutex.join("\n")));
  });

  it("may have fencing tokens, owners, several keys and other names", () => {
    const events = read(
      [
        '{:type :invoke, :f :lock, :value ["a" nil], :process 0, :time 1}',
        '{:type :ok, :f :lock, :value ["a" {:client "n1-3", :fence 12N}], :process 0, :time 2}',
        '{:type :invoke, :f :unlock, :value ["a" {:client "n1-3"}], :process 0, :time 3}',
        '{:type :info, :f :unlock, :value ["a" {:client "n1-3"}], :process 0, :time 4, :error [:timeout "x"]}',
      ].join("\n"),
    );
    expect(events.map(({ f }) => f)).toEqual(["acquire", "acquire", "release", "release"]);
    expect(events[1]).toMatchObject({ key: "a", value: { owner: "n1-3", fence: 12 } });
    expect(events[2]).toMatchObject({ key: "a", value: { owner: "n1-3" } });
    expect(events[3]).toMatchObject({ type: "info", value: { reason: '["timeout","x"]' } });
  });

  it("may say that a release found nothing", () => {
    const events = read([mutex[4]!, mutex[5]!.replace(":ok", ":fail").replace("}", ", :error :not-held}")].join("\n"));
    expect(events[1]).toMatchObject({ type: "ok", f: "release", value: { released: false } });
  });

  it.each([":not-held", ":not-lock-owner", ":not-permit-owner", '[:not-lock-owner "c3"]'])(
    "may say so by %s",
    (error) => {
      const failed = mutex[5]!.replace(":ok", ":fail").replace("}", `, :error ${error}}`);
      expect(read([mutex[4]!, failed].join("\n"))[1]).toMatchObject({ type: "ok", value: { released: false } });
    },
  );

  it("does not say that an operation succeeded where it has an error", () => {
    const failed = mutex[5]!.replace("}", ', :error [:not-found "requested lease not found"]}');
    const events = read([mutex[4]!, failed, mutex[0]!.replace(":index 0", ":index 9")].join("\n"));
    expect(events[1]).toMatchObject({ type: "info", value: { reason: '["not-found","requested lease not found"]' } });
    expect(events[2]).toMatchObject({ type: "invoke", process: 0 });
  });

  it("may answer with a boolean", () => {
    const answered = (f: string): unknown =>
      read(`{:type :invoke :f ${f} :process 0 :time 1}\n{:type :ok :f ${f} :process 0 :time 2 :value false}`)[1];
    expect(answered(":acquire")).toMatchObject({ type: "fail", value: { reason: "contended" } });
    expect(answered(":refresh")).toMatchObject({ type: "fail", f: "extend" });
    expect(answered(":release")).toMatchObject({ type: "ok", value: { released: false } });
  });

  it("may name its locks in the values of its operations", () => {
    const line = (type: string, f: string, value: string): string =>
      `{:type ${type} :f ${f} :process 0 :time 1 :value ${value}}`;
    for (const name of [":key", ":lock", ":lock-name", ":resource"]) {
      const events = read(
        [
          line(":invoke", ":acquire", `{${name} "a"}`),
          line(":ok", ":acquire", '{:client "c0"}'),
          line(":invoke", ":release", "nil"),
          line(":ok", ":release", "nil"),
        ].join("\n"),
      );
      expect(events.map(({ type, ...event }) => ("key" in event ? event.key : type))).toEqual(["a", "a", "a", "a"]);
    }
  });

  it("is refused where its operations have values that may be the names of several locks", () => {
    const acquire = (value: string, process: number): string =>
      `{:type :invoke :f :acquire :process ${process} :time 1 :value ${value}}`;
    expect(read([acquire('"a"', 0), acquire('"a"', 1), acquire("nil", 2)].join("\n"))).toHaveLength(3);
    expect(refusal([acquire('"a"', 0), acquire('"b"', 1)].join("\n"))).toBe(
      'history.edn, line 2: the :value "b", where an earlier operation has "a": does it name the lock?',
    );
  });

  it("is said to have no leases, rather than long ones", async () => {
    const lines = [
      ...mutex.slice(0, 3),
      mutex[3]!.replace(":fail", ":ok"),
      ...mutex.slice(4),
      "{:type :invoke, :f :release, :process 1, :time 70}",
      "{:type :ok, :f :release, :process 1, :time 80}",
    ];
    const { verdict } = await checkStream([lines.join("\n")], "history.edn", { foreign: true });
    const told = Object.values(verdict.properties).flatMap(({ violations }) => violations);
    expect(told.map(({ explanation }) => explanation).join(" ")).toMatch(/without a lease.*without a lease/);
    for (const { explanation } of told) expect(explanation).not.toMatch(/lease (until|of|cannot)/);
  });

  it("says what was left out of it", async () => {
    const other = ["{:type :invoke, :f :add, :process 3, :time 80}", "{:type :ok, :f :add, :process 3, :time 81}"];
    const { verdict } = await checkStream([[...mutex, ...other].join("\n")], "history.edn", { foreign: true });
    expect(verdict.remarks).toContain(
      "2 events were left out, because they are of operations other than those of a lock: add",
    );
  });

  it("keeps the nemesis apart, and leaves out what is no operation on a lock", () => {
    const events = read(
      [
        "{:type :info, :f :start-partition, :process :nemesis, :time 5, :value {:n1 #{:n2}}}",
        "{:type :info, :f :stop-partition, :process :nemesis, :time 6, :value nil}",
        "{:type :info, :f :drop-packets, :process :nemesis, :time 7, :value nil}",
        "{:type :invoke, :f :add, :process 3, :time 8, :value 1}",
      ].join("\n"),
    );
    expect(events.map(({ f }) => f)).toEqual(["partition", "partition", "drop-packets"]);
    expect(events[0]).toMatchObject({ value: { phase: "start", outcome: "indeterminate", evidence: '{"n1":["n2"]}' } });
    expect(events[1]).toMatchObject({ value: { phase: "heal" } });
  });

  it("keeps the order of times", () => {
    const [, , third] = mutex;
    const events = read([...mutex.slice(0, 2), third!.replace(":time 30", ":time 15")].join("\n"));
    expect(events.map(({ time }) => time)).toEqual([10, 20, 20]);
  });

  it.each([
    ["garbage", "line 1: an operation is a map with a :type"],
    ["{:type :invoke, :f :acquire]", 'line 1: not EDN: "]" where "{" is open'],
    ["]", "line 1: "],
    ["{:type :invoke, :f :acquire, :process [1]}", "line 1: :process is neither a number, a name nor :nemesis"],
    ["{:type :done, :f :acquire, :process 0}", "line 1: unknown :type :done"],
    [`${mutex[0]}\n${unnumbered}`, "line 2: process 0 invokes acquire while its acquire of line 1 is open"],
    [`${mutex[0]}\n${mutex[5]}`, "line 2: process 0 completes release, but it did not invoke it"],
    ["{:type :ok, :f :acquire, :process 0}", "line 1: process 0 completes acquire, but it did not invoke it"],
    [
      `${mutex[0]}\n{:type :info, :f :acquire, :process 0}\n${unnumbered}`,
      "line 3: process 0 continues after an :info",
    ],
  ])("is refused where it is none: %s", (text, message) => {
    expect(refusal(text)).toMatch(`history.edn, ${message}`);
  });

  it("is refused where its lines are not in the order of their :index, and may be a part with gaps", async () => {
    const [first = "", second = "", ...rest] = mutex;
    expect(refusal([second, first, ...rest].join("\n"))).toBe("history.edn, line 2: :index 0 after 1");
    expect(refusal([first, first, ...rest].join("\n"))).toBe("history.edn, line 2: :index 0 after 0");
    expect(refusal([...mutex, ...mutex].join("\n"))).toBe("history.edn, line 7: :index 0 after 5");
    expect(await judge([first, ...mutex.slice(2, 3), ...mutex.slice(4)])).toBe("valid");
    const nemesis = "{:type :info, :f :start, :process :nemesis, :time 45, :value nil, :index 9}";
    expect(refusal([...mutex.slice(0, 4), nemesis, ...mutex.slice(4)].join("\n"))).toContain(":index 4 after 9");
  });

  it("is unknown where it is cut off, with its last line, unless it shows a violation before", async () => {
    const torn = [...mutex, "{:type :invoke,", ":f :acquire"].join("\n");
    const { verdict } = await checkStream([torn], "history.edn", { foreign: true });
    expect([verdict.verdict, verdict.reasons]).toEqual([
      "unknown",
      [expect.stringContaining("the history is truncated: line 8, the last one, is truncated")],
    ]);
    await expect(judge(["{:type :invoke,", ":f :acquire"])).rejects.toThrow(
      "history.edn, line 2: it ends within an operation",
    );
  });

  it(
    "is unknown wherever its last operation is cut off, also within a string, an escape or a number",
    { tags: "long" },
    async () => {
      const last = String.raw`#op/of{:type :invoke, :f :acquire, :note "a\"b\u00e9", :c \newline, :n 1e-3, :r 1/2, :x ##Inf, :process 9}`;
      const parts = Array.from({ length: last.length - 1 }, (_, length) => last.slice(0, length + 1));
      for (const lines of [mutex, [`[${mutex.join(" ")}`]]) {
        for (const part of parts) {
          const text = lines.length > 1 ? [...lines, part].join("\n") : `${lines[0]} ${part}`;
          const { verdict } = await checkStream([text], "history.edn", { foreign: true });
          expect({ part, verdict: verdict.verdict }).toEqual({ part, verdict: "unknown" });
        }
      }
    },
  );

  it.each([String.raw`"\x`, String.raw`"\u00zz`, String.raw`"\uzz`, "1e 2", "# 1", "##Ink 1"])(
    "is refused where more characters would not mend the last line: %s",
    async (part) => {
      await expect(judge([...mutex, `{:a ${part}`])).rejects.toThrow("history.edn, line 7: not EDN");
    },
  );

  it.each(["#", String.raw`"\u00`, "1e", "##In", "\\"])("is refused where a line feed follows: %s", async (part) => {
    await expect(judge([...mutex, `{:a ${part}`, ""])).rejects.toThrow("history.edn, line 7: not EDN");
  });
});

it("moves times that do not fit the order of the lines, and says so in a remark", async () => {
  const lines = [
    "{:index 0 :time -5 :process 0 :type :invoke :f :acquire :value nil}",
    "{:index 1 :time 100 :process 0 :type :ok :f :acquire :value nil}",
    "{:index 2 :time 60 :process 0 :type :invoke :f :release :value nil}",
    "{:index 3 :time 100 :process 0 :type :ok :f :release :value nil}",
  ];
  const { verdict } = await checkStream([lines.join("\n")], "history.edn", { foreign: true });
  expect(verdict.remarks).toContain(
    "2 events have a time below zero or before that of an earlier line, which was set to the latest time before",
  );
});

it.each([
  ["[\n{:type :invoke,\n :f :acquire, :process 0}]", 1],
  ["\n[\n{\n:type :invoke,\n :f :acquire, :process 0}]", 1],
  ["(\n\n#jepsen.history.Op{:type :invoke, :f :acquire, :process 0})", 1],
])("is told from JSON by what follows its first brackets: %j", async (text, events) => {
  expect(await checkStream([text], "history", { foreign: true })).toMatchObject({ events });
});

it.each(['[\n  {\n    "format": "lockstorm-history"', '[\n{"format":"lockstorm-history"'])(
  "JSON is told from it by what follows its first brackets: %j",
  async (text) => {
    await expect(checkStream([text], "history")).rejects.toThrow("line 1: not JSON on one line");
  },
);
