/** What people write into EDN who record other locks than Jepsen's: names of processes, `nil` for a refusal, `:op`. */
import { describe, expect, it } from "vitest";
import { checkStream } from "../../check/check-stream.ts";

async function verdictOf(...lines: readonly string[]): Promise<string> {
  return (await checkStream([lines.join("\n")], "history.edn", { foreign: true })).verdict.verdict;
}

let time = 0;
const said = (type: string, f: string, process: number | string, value?: string): string => {
  time += 1;
  return `{:type :${type}, :f :${f}, :process ${process}, :time ${time}${value === undefined ? "" : `, :value ${value}`}}`;
};
const done = (f: string, process: number | string, value?: string): readonly string[] => [
  said("invoke", f, process, "nil"),
  said("ok", f, process, value),
];

describe("an acquire that ends well with nil", () => {
  const begun = [...done("acquire", 0, '"t1"'), ...done("acquire", 1, "nil")];

  it("was refused where others end with a value", async () => {
    expect(await verdictOf(...begun, ...done("release", 0, "true"), ...done("acquire", 1, '"t2"'))).toBe("valid");
    expect(await verdictOf(...begun, ...done("acquire", 1, '"t2"'), ...done("release", 0, "true"))).toBe("invalid");
    expect(await verdictOf(...begun.map((line) => line.replace("nil}", "[:k nil]}")), ...done("release", 0))).toBe(
      "valid",
    );
  });

  it("is a grant where all do, or all end with what they were asked with", async () => {
    const none = [...done("acquire", 0, "nil"), ...done("acquire", 1, "nil"), ...done("release", 0)];
    expect(await verdictOf(...none)).toBe("invalid");
    const named = (process: number): readonly string[] => [
      said("invoke", "acquire", process, "{:lock :a}"),
      said("ok", "acquire", process, "{:lock :a}"),
    ];
    expect(await verdictOf(...named(0), ...named(1), said("invoke", "release", 0, "{:lock :a}"))).toBe("invalid");
  });

  it("is an error where nobody knows which of the two", async () => {
    await expect(verdictOf(...done("acquire", 1, "nil"), ...done("acquire", 0, '"t1"'))).rejects.toThrow(
      'line 4: an :ok of an acquire with the :value "t1", where that of line 2 has nil',
    );
    await expect(verdictOf(...begun, ...done("release", 1, "true"))).rejects.toThrow(
      "line 6: a release after the acquire of line 4, which ended as :ok with nil",
    );
  });

  it("may come of a client that holds already, and then releases", async () => {
    const again = [...done("acquire", 0, '"t1"'), ...done("acquire", 0, "nil"), ...done("release", 0, "true")];
    expect(await verdictOf(...again, ...done("acquire", 1, '"t2"'))).toBe("valid");
  });
});

/** A client holds, another is told this, the first releases, and the other holds. */
const taken = (word: string, granted: string): readonly string[] => [
  ...done("acquire", 0, granted),
  ...done("acquire", 1, word),
  ...done("release", 0),
  ...done("acquire", 1, granted),
  ...done("release", 1),
];

describe("an acquire that ends well with a value", () => {
  it.each([
    [":no", ":yes"],
    ['"false"', '"TRUE"'],
    ["0", "1"],
    ["-1", "17"],
    ["nil", '"OK"'],
    ["[]", '["t1"]'],
    ["{:result false}", "{:result true}"],
    ["{:locked? false}", "{:locked? true}"],
    ["{:acquired 0}", "{:acquired 1}"],
    ["{:token nil}", '{:token "t1"}'],
    ["{:error :busy}", '{:token "t1"}'],
    ["[:k :denied]", "[:k :granted]"],
  ])("was refused with %s where others end with %s", async (word, granted) => {
    const asked = (lines: readonly string[]): readonly string[] =>
      word.startsWith("[:k") ? lines.map((line) => line.replace("nil", "[:k nil]")) : lines;
    expect(await verdictOf(...asked(taken(word, granted)))).toBe("valid");
    expect(await verdictOf(...asked(taken(granted, granted)))).toBe("invalid");
  });

  it.each([
    [":timeout", ":acquired"],
    [":held", ":got-one"],
    ["{:status 409}", "{:status 200}"],
    ["{:mine? false}", "{:mine? true}"],
  ])("is an error with %s where others end with %s: nobody knows which was refused", async (word, granted) => {
    await expect(verdictOf(...taken(word, granted))).rejects.toThrow("line 4: an :ok of an acquire with the :value");
    await expect(verdictOf(...taken(word, granted))).rejects.toThrow("which of them was refused?");
  });

  it("was granted where it says what it was asked with", async () => {
    const asked = (value: string): readonly string[] => [
      said("invoke", "acquire", 0, value),
      said("ok", "acquire", 0, value),
    ];
    expect(await verdictOf(...asked("0"), ...done("acquire", 1, "0"))).toBe("invalid");
  });
});

it("a release that ends well with 0 found nothing, and one with 1 something", async () => {
  const late = [...done("acquire", 0), ...done("release", 0, "1"), ...done("acquire", 1), ...done("release", 0, "0")];
  expect(await verdictOf(...late, ...done("release", 1, "1"))).toBe("valid");
});

describe("processes with names", () => {
  it.each(['"host-a" "host-b"', ":n1 :n2"])("are told apart: %s", async (names) => {
    const [one = "", other = ""] = names.split(" ");
    const both = [...done("acquire", one), ...done("acquire", other), ...done("release", one)];
    expect(await verdictOf(...both)).toBe("invalid");
    const inTurn = [...done("acquire", one), ...done("release", one), ...done("acquire", other)];
    expect(await verdictOf(...inTurn)).toBe("valid");
  });

  it("go on after an unknown outcome, as the same clients", async () => {
    const unknown = [...done("acquire", ":n1"), said("invoke", "release", ":n1"), said("info", "release", ":n1")];
    expect(await verdictOf(...unknown, ...done("release", ":n1"), ...done("acquire", ":n2"))).toBe("valid");
    const kept = [...done("acquire", ":n2"), ...done("acquire", ":n1"), ...done("release", ":n2")];
    expect(await verdictOf(...unknown, ...kept)).toBe("invalid");
  });

  it("are not mixed with numbers", async () => {
    await expect(verdictOf(...done("acquire", ":n1"), ...done("acquire", 0))).rejects.toThrow(
      "where others have names",
    );
    await expect(verdictOf(...done("acquire", 0), ...done("acquire", ":n1"))).rejects.toThrow(
      "where others have numbers",
    );
    const many = Array.from({ length: 1001 }, (_, name) => done("acquire", `:n${name}`)).flat();
    await expect(verdictOf(...many)).rejects.toThrow("too many names");
  });
});

it("an operation may be named by :op, or its type", async () => {
  const both = [...done("acquire", 0), ...done("acquire", 1), ...done("release", 0)];
  expect(await verdictOf(...both.map((line) => line.replace(":f", ":op")))).toBe("invalid");
  expect(await verdictOf(...both.map((line) => line.replace(":type", ":op")))).toBe("invalid");
  const inTurn = [...done("acquire", 0), ...done("release", 0), ...done("acquire", 1)];
  expect(await verdictOf(...inTurn.map((line) => line.replace(":f", ":op")))).toBe("valid");
});
