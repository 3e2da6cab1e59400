import { describe, expect, it } from "vitest";
import { EdnReader } from "./edn-reader.ts";

/** The owner of each release and extension, of lines such as `2 ok extend {:ttlMs 300}`. */
function owners(lines: readonly string[]): readonly unknown[] {
  const reader = new EdnReader("history.edn");
  const events = lines.flatMap((line, time) => {
    const [, process, type, f, value = "nil"] = /^(\d+) (\S+) (\S+)(?: (.*))?$/.exec(line) ?? [];
    return reader.push(`{:type :${type}, :f :${f}, :value ${value}, :process ${process}, :time ${time}}`);
  });
  return events
    .filter(({ f, type }) => (f === "release" && type === "invoke") || f === "extend")
    .map(({ value }) => (value as { readonly owner?: unknown } | undefined)?.owner);
}

/** Is granted the lock. */
function granted(process: number, value = "nil"): readonly string[] {
  return [`${process} invoke acquire`, `${process} ok acquire ${value}`];
}

function lost(process: number, f: string): readonly string[] {
  return [`${process} invoke ${f}`, `${process} info ${f}`];
}

describe("an operation of Jepsen's that names no owner", () => {
  it("is for the lock that its process was granted last", () => {
    expect(owners([...granted(0), "0 invoke release"])).toEqual(["process-0"]);
    expect(owners([...granted(0, '{:owner "a"}'), "0 invoke release"])).toEqual(["a"]);
    expect(owners(["0 invoke release"])).toEqual(["process-0"]);
    const twice = ["0 invoke release", "0 ok release", "0 invoke release"];
    expect(owners([...granted(0, '{:owner "a"}'), ...twice])).toEqual(["a", "a"]);
  });

  it("is answered for the owner that its invocation names", () => {
    expect(owners([...granted(0, '{:owner "a"}'), '1 invoke extend {:owner "a"}', "1 ok extend"])).toEqual(["a", "a"]);
  });

  it("is for the lock of the process that it continues, which ended with an unknown outcome", () => {
    const begun = [...granted(0), ...lost(1, "acquire"), ...lost(0, "extend")];
    expect(owners([...begun, "2 invoke release"])).toEqual(["process-0", undefined, "process-0"]);
    expect(owners([...begun, "3 invoke release"])).toEqual(["process-0", undefined, "process-3"]);
    const twice = [...begun, ...lost(2, "extend"), "4 invoke release"];
    expect(owners(twice).at(-1)).toBe("process-0");
  });

  it("is for a lock of its own as soon as it has one, or where the older one was given back", () => {
    const begun = [...granted(0), ...lost(1, "acquire"), ...lost(0, "extend")];
    expect(owners([...begun, ...granted(2), "2 invoke release"]).at(-1)).toBe("process-2");
    const given = [...begun, "2 invoke release", "2 ok release", "2 invoke release"];
    expect(owners(given).slice(-2)).toEqual(["process-0", "process-2"]);
  });

  it("learns the number of clients where one begins late", () => {
    const late = ['2 invoke acquire {:owner "late"}', "2 ok acquire"];
    const begun = [...lost(0, "acquire"), ...granted(1), ...late, ...lost(1, "extend")];
    expect(owners([...lost(0, "acquire"), ...granted(1), ...lost(1, "extend"), "3 invoke release"]).at(-1)).toBe(
      "process-1",
    );
    // Of two clients, process 4 would continue process 2, which goes on.
    expect(owners([...begun, "4 invoke release"]).at(-1)).toBe("process-1");
    expect(owners([...begun, ...lost(3, "acquire"), "4 invoke release"]).at(-1)).toBe("process-1");
  });

  it("is of the key that the process asked for which it continues", () => {
    const reader = new EdnReader("history.edn");
    const push = (line: string): unknown => reader.push(line)[0];
    push('{:type :invoke, :f :acquire, :value {:key "a"}, :process 0}');
    push('{:type :ok, :f :acquire, :value {:key "a"}, :process 0}');
    push("{:type :invoke, :f :refresh, :value nil, :process 0}");
    push("{:type :info, :f :refresh, :value nil, :process 0}");
    const release = push("{:type :invoke, :f :release, :value nil, :process 1}");
    expect(release).toMatchObject({ key: "a", value: { owner: "process-0" } });
  });
});
