/** Fields and names of operations that others write: each is read with its one meaning, or refused with the reason. */
import { describe, expect, it } from "vitest";
import { done, eachWith, judge, together, verdictOf } from "./testing/edn-lines.ts";

describe("two that hold a lock together", () => {
  it.each([
    "{:shared true}",
    "{:shared? true}",
    "{:exclusive false}",
    "{:lock-type :read}",
    "{:mode :READ}",
    ":shared",
    "[:k :read]",
    "{:limit 2}",
    "{:capacity 2}",
    "{:permits 1, :max-permits 2}",
  ])("may do so with %s", async (value) => {
    expect(await verdictOf(...together(value))).toBe("valid");
  });

  it.each(["{:shared false}", "{:exclusive true}", "{:mode :write}", ":exclusive", "{:capacity 1}"])(
    "may not with %s",
    async (value) => {
      expect(await verdictOf(...together(value))).toBe("invalid");
    },
  );

  it("may do so where the operation says it beside its value, or by its name", async () => {
    expect(await verdictOf(...together("nil", ", :mode :shared"))).toBe("valid");
    const readers = together("nil").map((line) =>
      line.replace(":acquire", ":read-lock").replace(":release", ":read_unlock"),
    );
    expect(await verdictOf(...readers)).toBe("valid");
    expect(await verdictOf(...readers.map((line) => line.replace("read", "write")))).toBe("invalid");
    await expect(verdictOf(...together('"k"', ", :mode :shared"))).rejects.toThrow("line 1: :mode beside a :value");
  });

  it.each([
    ["{:slots 2}", "line 1: :slots 2: may several clients hold the lock?"],
    ["{:max 3}", "line 1: :max 3: may several clients hold the lock?"],
  ])("are not judged with %s, which may say so", async (value, problem) => {
    await expect(verdictOf(...together(value))).rejects.toThrow(problem);
  });

  it("are not judged where only the answer says how it shares its key", async () => {
    const [asked = "", ...rest] = together("{:mode :shared}");
    await expect(verdictOf(asked.replace("{:mode :shared}", "nil"), ...rest)).rejects.toThrow(
      "line 2: an answer that says",
    );
  });
});

describe("the name of a lock", () => {
  it("may be a field of the operation, or of its value", async () => {
    expect(await verdictOf(...eachWith(() => "nil", ', :resource "r%"'))).toBe("valid");
    expect(await verdictOf(...eachWith(() => "nil", ', :resource "r"'))).toBe("invalid");
    expect(await verdictOf(...eachWith((process) => `{:lock-id ${process + 1}}`))).toBe("valid");
    expect(await verdictOf(...eachWith(() => "{:lock-id 1}"))).toBe("invalid");
  });

  it("is asked for where a field may be one, and differs", async () => {
    await expect(verdictOf(...eachWith((process) => `{:path "/${process}"}`))).rejects.toThrow(
      'line 3: :path "/1", where an earlier acquire has "/0": does it name the lock?',
    );
    expect(await verdictOf(...eachWith(() => '{:path "/a"}'))).toBe("invalid");
  });
});

describe("a lease", () => {
  const late = (value: string): readonly string[] => [
    ...done("acquire", 0, 10, value),
    ...done("acquire", 1, 50, value),
    ...done("release", 1, 55),
    ...done("release", 0, 60),
  ];

  it.each(["ttlMs 10", "ttl-ms 10", "ttl_millis 10", "leaseTimeMs 10", "px 10", "ttl-s 0.01"])(
    "is read from :%s",
    async (field) => {
      const leases = async (value: string): Promise<string | undefined> =>
        (await judge(...late(value))).verdict.properties["lease-exclusion"]?.verdict;
      expect(await leases(`{:${field}}`)).toBe("valid");
      expect(await leases(`{:${field}}`.replace(/[\d.]+\}/, "99}"))).toBe("invalid");
    },
  );

  it("has a unit", async () => {
    await expect(verdictOf(...late("{:ttl 10}"))).rejects.toThrow("line 1: :ttl 10: a lease without a unit?");
  });
});

describe("an operation that is not known", () => {
  const taken = (f: string): readonly string[] => [
    ...done("acquire", 0, 10),
    ...done(f, 2, 20),
    ...done("acquire", 1, 30),
    ...done("release", 1, 40),
    ...done("release", 0, 50),
  ];

  it.each(["force-unlock", "closeSession", "break_lock", "del", "expire"])("may end a hold: %s", async (f) => {
    await expect(verdictOf(...taken(f))).rejects.toThrow(`line 3: :f :${f} of line 3 is not known`);
  });

  it("may take a lock, also before all others", async () => {
    const recording = [...done("grab-it", 0, 10), ...done("acquire", 1, 20), ...done("release", 0, 30)];
    await expect(verdictOf(...recording)).rejects.toThrow("line 4: :f :grab-it of line 1 is not known");
  });

  it("is left out where it has nothing to do with locks", async () => {
    expect(await verdictOf(...taken("add"))).toBe("invalid");
  });
});

describe("the order of the lines", () => {
  const byClient = [
    ...done("acquire", 0, 10),
    ...done("release", 0, 30),
    ...done("acquire", 1, 20),
    ...done("release", 1, 40),
  ];

  it("is not that of events where the recordings of clients follow one another", async () => {
    const later = [
      ...done("acquire", 0, 10),
      ...done("release", 0, 30),
      ...done("acquire", 1, 5),
      ...done("release", 1, 15),
    ];
    await expect(verdictOf(...later)).rejects.toThrow("line 6: :time 8000000 after 33000000");
  });

  it("is, where times fit it or a process wrote a little late", async () => {
    expect(await verdictOf(...byClient.slice(0, 2), ...byClient.slice(4, 6))).toBe("invalid");
    const [invoked = "", granted = ""] = done("acquire", 1, 40);
    const late = [...done("acquire", 0, 10), ...done("release", 0, 41), invoked, granted.replace("43", "45")];
    expect(await verdictOf(...late)).toBe("valid");
  });
});

describe("a fencing token", () => {
  const inTurn = (first: string, second: string): readonly string[] => [
    ...done("acquire", 0, 10, `{:fence ${first}}`),
    ...done("release", 0, 20),
    ...done("acquire", 1, 30, `{:fence ${second}}`),
    ...done("release", 1, 40),
  ];

  it("may be digits, or hexadecimal ones, in a string", async () => {
    expect(await verdictOf(...inTurn('"9"', '"17"'))).toBe("valid");
    expect(await verdictOf(...inTurn('"17"', '"9"'))).toBe("invalid");
    expect(await verdictOf(...inTurn('"0xf"', '"0x1F"'))).toBe("valid");
    expect(await verdictOf(...inTurn("17", '"0xF"'))).toBe("invalid");
  });

  it.each(['"1f"', '"v17"', '"1-2"', '""', '"010"', '"99999999999999999999"'])("is an error as %s", async (fence) => {
    await expect(verdictOf(...inTurn("1", fence))).rejects.toThrow(/line \d+: .*(fence|exact)/);
  });
});

describe("a map with the operations under :history", () => {
  const whole = (...operations: readonly string[]): readonly string[] => [
    "{:valid? true",
    ":history [",
    ...operations,
    "]}",
  ];

  it("is read as those operations", async () => {
    const { events, verdict } = await judge(...whole(...together("nil")));
    expect([events, verdict.verdict]).toEqual([8, "invalid"]);
    expect(await verdictOf(...whole(...together("nil").slice(0, 2)))).toBe("valid");
  });

  it("says which of them cannot be read", async () => {
    const mistaken = [...done("acquire", 0, 10), ...done("acquire", 1, 30, '{:fence "v17"}')];
    await expect(verdictOf(...whole(...mistaken))).rejects.toThrow(/line 7, operation 4: .*fence/);
    await expect(verdictOf(...mistaken)).rejects.toThrow(/line 4: .*fence/);
  });

  it.each([
    ["two of them", [...whole(...together("nil")), ...whole(...together("nil"))]],
    ["operations beside it", [...whole(...together("nil")), ...done("acquire", 2, 90)]],
    ["operations before it", [...done("acquire", 2, 0), ...whole(...together("nil"))]],
    ["something else under it", ["{:history {:a 1}}"]],
  ])("is an error with %s", async (_, lines) => {
    await expect(verdictOf(...lines)).rejects.toThrow(/line \d+: .*:history/);
  });
});
