/** Operations on what a lock guards, beside those of the lock, as Jepsen's workloads record them. */
import { describe, expect, it } from "vitest";
import { checkStream } from "../../check/check-stream.ts";
import { EdnReader } from "./edn-reader.ts";

let time = 0;
const said = (type: string, f: string, process: number, value = "nil", more = ""): string => {
  time += 1;
  return `{:type :${type}, :f :${f}, :process ${process}, :time ${time}, :value ${value}${more}}`;
};
const done = (f: string, process: number, asked = "nil", told = asked): readonly string[] => [
  said("invoke", f, process, asked),
  said("ok", f, process, told),
];
const judged = async (...lines: readonly string[]) =>
  (await checkStream([lines.join("\n")], "history.edn", { foreign: true })).verdict;
const namesIn = (...lines: readonly string[]): readonly string[] => {
  const reader = new EdnReader("history.edn");
  return lines.flatMap((line) => reader.push(line)).map(({ type, f = "" }) => `${type} ${f}`);
};

describe("a register that a lock guards", () => {
  it("is left out, whatever was written to it or read of it", async () => {
    const taken = done("acquire", 0);
    const used = [...done("write", 0, "5"), ...done("read", 0, "nil", "5"), ...done("write", 0, "[1 5]")];
    const given = done("release", 0);
    expect(namesIn(...taken, ...used, ...given)).toEqual([
      "invoke acquire",
      "ok acquire",
      "invoke release",
      "ok release",
    ]);
    const { verdict } = await judged(...taken, ...used, ...given, ...done("acquire", 1));
    expect(verdict).toBe("valid");
    const early = [...done("acquire", 0), ...done("read", 0, "nil", "5"), ...done("acquire", 1), ...done("release", 0)];
    expect((await judged(...early)).verdict).toBe("invalid");
  });

  it("is left out where its operation failed", () => {
    const failed = [said("invoke", "read", 0), said("fail", "read", 0, "nil", ", :error :timeout")];
    expect(namesIn(...done("write", 1, "{:x 1}"))).toEqual([]);
    expect(namesIn(...failed, ...done("acquire", 0))).toEqual(["invoke acquire", "ok acquire"]);
  });

  it.each(["write", "add"])(
    "may leave unknown what a %s did: its client goes on under another number",
    async (name) => {
      const taken = [...done("acquire", 0), said("invoke", name, 0, "7"), said("info", name, 0, "7")];
      expect((await judged(...taken, ...done("release", 5), ...done("acquire", 1))).verdict).toBe("valid");
      const open = [...done("acquire", 0), said("invoke", name, 0, "7"), said("info", name, 0, "7")];
      expect((await judged(...open, ...done("acquire", 1), ...done("release", 5))).verdict).toBe("invalid");
    },
  );

  it("shows how many clients there are: one that did nothing else goes on under another number, too", async () => {
    const unheard = (process: number) => [said("invoke", "add", process), said("info", "add", process)];
    const refused = (process: number) => [said("invoke", "acquire", process), said("fail", "acquire", process)];
    const begun = [...unheard(0), ...done("acquire", 1), ...refused(5), ...unheard(1)];
    expect((await judged(...begun, ...done("release", 6), ...done("acquire", 2))).verdict).toBe("valid");
  });

  it("is read where lockstorm wrote it: a write has a name, and what is read is a position", () => {
    const write = [
      said("invoke", "write", 0, '{:data "a"}', ', :key "k"'),
      said("ok", "write", 0, "{:position 1}", ', :key "k"'),
    ];
    const read = [said("invoke", "read", 0, "nil", ', :key "k"'), said("ok", "read", 0, "{:position 1}", ', :key "k"')];
    expect(namesIn(...write, ...read)).toEqual(["invoke write", "ok write", "invoke read", "ok read"]);
    // Also by a process of which an earlier one was left out, and never completed.
    const open = said("invoke", "write", 0, "7");
    const named = done("write", 0, '{:data "a"}', "{:position 1}");
    expect(namesIn(open, ...named)).toEqual(["invoke write", "ok write"]);
  });
});
