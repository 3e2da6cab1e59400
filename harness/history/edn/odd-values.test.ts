/** Values of another type or size than a field has: each is read with its one meaning, or refused, and never ignored. */
import { describe, expect, it } from "vitest";
import { done, eachWith, judge, together, verdictOf } from "./testing/edn-lines.ts";

describe("a time", () => {
  const mutex = (time: string, value = "nil"): readonly string[] => [
    ...done("acquire", 0, 10, value),
    `{:type :invoke, :f :acquire, :process 1, :time ${time}, :value ${value}}`,
    "{:type :fail, :f :acquire, :process 1, :time 50000000, :value nil}",
    ...done("release", 0, 60),
  ];

  it.each(["1e400", "-1e400", "##Inf", "##-Inf", "##NaN", '"20"', ":x", "true", "[20]", "{:ns 20}", '#inst "2026"'])(
    "is refused as %s, in one line with its place",
    async (time) => {
      await expect(verdictOf(...mutex(time))).rejects.toThrow(/line 3: :time .*: not a time$/);
      await expect(verdictOf(`[${mutex(time).join(" ")}]`)).rejects.toThrow(
        /line 1, operation 3: :time .*: not a time$/,
      );
      await expect(verdictOf(mutex(time).slice(2, 3).join(), ...mutex("20e6"))).rejects.toThrow(/line 1: :time /);
    },
  );

  it("may be left out, or be nil, or be one in seconds, where there are no leases", async () => {
    for (const time of ["nil", "20e6", "40000000/2"]) expect(await verdictOf(...mutex(time))).toBe("valid");
    const inSeconds = mutex("20000000").map((line) =>
      line.replace(/:time (\d+)/, (_, ns) => `:time ${Number(ns) / 1e9}`),
    );
    expect(await verdictOf(...inSeconds)).toBe("valid");
  });

  it.each(["nil", "20000000.5", "-20000000"])("is asked for as %s, once a lease was stated", async (time) => {
    const lease = "{:ttl-ms 100}";
    const late = [...done("acquire", 0, 10, lease), ...done("release", 0, 14), ...done("acquire", 1, 20, lease)];
    expect(await verdictOf(...late, ...done("acquire", 2, 190, lease))).toBe("valid");
    const odd = late.map((line) => line.replace(/:time (?:14|20|23)000000/, `:time ${time}`));
    await expect(verdictOf(...odd, ...done("acquire", 2, 190, lease))).rejects.toThrow(/line 3: .*:time/);
  });

  it("below zero says nothing of how long a lease lasted", async () => {
    const lease = "{:ttl-ms 300}";
    const before = [...done("acquire", 0, -9000, lease), ...done("acquire", 1, -2000, lease), ...done("release", 1, 5)];
    await expect(verdictOf(...before)).rejects.toThrow("line 1: a lease (:ttlMs, :validForMs) and a :time below zero");
  });
});

describe("a number", () => {
  it.each(["1/0", "0/0", "017", "-017N"])("is not EDN as %s", async (number) => {
    await expect(verdictOf(...done("acquire", 0, 10, `{:a ${number}}`))).rejects.toThrow("is no number");
  });
});

describe("an index", () => {
  it.each(["##NaN", "1e400", '"0"', "1.5"])("is refused as %s", async (index) => {
    const [asked = ""] = done("acquire", 0, 10);
    await expect(verdictOf(asked.replace("{", `{:index ${index}, `))).rejects.toThrow(/line 1: :index .*: no integer/);
  });
});

describe("a lease", () => {
  const late = (value: string, answer = "nil", beside = ""): readonly string[] => [
    ...done("acquire", 0, 10, value, beside).map((line, at) => (at === 1 ? line.replace(value, answer) : line)),
    ...done("acquire", 1, 8000, value, beside).map((line, at) => (at === 1 ? line.replace(value, answer) : line)),
    ...done("release", 1, 8010),
  ];

  it.each(['ttl-ms "300"', 'lease-seconds "1"', "lease-seconds :x", "ttl-ms true", "ttl-s [1]"])(
    "is refused that is no number: %s",
    async (field) => {
      await expect(verdictOf(...late(`{:${field}}`))).rejects.toThrow(/line 1: :.*: no number/);
    },
  );

  it.each(['ttl "300"', 'ttl "30s"', 'lease "1.5 min"', 'expiry "PT30S"', "ttl 300N"])(
    "has a unit: %s",
    async (field) => {
      await expect(verdictOf(...late(`{:${field}}`))).rejects.toThrow("a lease without a unit?");
    },
  );

  it("may have a name, and may be any integer", async () => {
    expect(await verdictOf(...late('{:lease "abc"}'))).toBe("invalid");
    expect(await verdictOf(...late("{:lease nil}"))).toBe("invalid");
    expect(await verdictOf(...late("{:lease-ms 300}"))).not.toBe("invalid");
    expect(await verdictOf(...late("{:lease-ms 9007199254740993}"))).toBe("invalid");
  });

  it("may be stated beside the value", async () => {
    expect(await verdictOf(...late("nil", "nil", ", :ttl-ms 300"))).not.toBe("invalid");
    expect(await verdictOf(...late("nil", "true", ", :ttl-ms 300"))).not.toBe("invalid");
    await expect(verdictOf(...late("nil", "nil", ", :ttl 300"))).rejects.toThrow(
      "line 1: :ttl 300: a lease without a unit",
    );
    await expect(verdictOf(...late('"x"', "nil", ", :ttl-ms 300"))).rejects.toThrow("line 1: :ttl-ms beside a :value");
  });

  it("is known when it is asked for", async () => {
    await expect(verdictOf(...late("nil", "{:ttl-ms 300}"))).rejects.toThrow("line 2: :ttl-ms 300: a lease");
    await expect(verdictOf(...late("{:ttl-ms 20000}", "{:lease-seconds 1}"))).rejects.toThrow(
      "line 2: :lease-seconds 1",
    );
    expect(await verdictOf(...late("{:ttl-ms 300}", "{:ttl-ms 300}"))).not.toBe("invalid");
    expect(await verdictOf(...late("{:ttl-ms 9000}", "{:ttl-s 20}"))).toBe("invalid");
  });

  it("of an extension is asked for where an acquire has one", async () => {
    const extended = (value: string): readonly string[] => [
      ...done("acquire", 0, 10, value),
      ...done("extend", 0, 20),
      ...done("acquire", 1, 8000, value),
    ];
    await expect(verdictOf(...extended("{:ttl-ms 300}"))).rejects.toThrow("line 3: an :extend without a lease");
    expect(await verdictOf(...extended("nil"))).toBe("invalid");
    const valid = extended("nil").map((line) => line.replace(/(:ok, :f :acquire.*:value) nil/, "$1 {:validForMs 1e9}"));
    expect(await verdictOf(...valid)).toBe("invalid");
  });
});

describe("how a grant shares its key", () => {
  it.each([
    '{:capacity "2"}',
    "{:max-permits :x}",
    '{:shared "true"}',
    "{:shared? 1}",
    '{:exclusive "no"}',
    "{:lock-mode :upgrade}",
    '{:max "5"}',
    "{:slots 9007199254740993}",
  ])("is refused as %s", async (value) => {
    await expect(verdictOf(...together(value))).rejects.toThrow(/line 1: /);
  });

  it("may be stated beside the value, under any of its names", async () => {
    expect(await verdictOf(...together("nil", ", :capacity 2"))).toBe("valid");
    expect(await verdictOf(...together("nil", ", :lock-type :read"))).toBe("valid");
    expect(await verdictOf(...together("nil", ", :read-only true"))).toBe("valid");
    await expect(verdictOf(...together("nil", ", :slots 2"))).rejects.toThrow("line 1: :slots 2");
  });

  it("is known from the invocation of that acquire, not of an earlier one", async () => {
    const [asked = "", granted = "", released = "", ...rest] = done("acquire", 0, 10, "{:mode :shared}").concat(
      done("release", 0, 14),
      done("acquire", 0, 20, "{:mode :shared}"),
    );
    const [left = "", again = "", answer = ""] = rest;
    expect(await verdictOf(asked, granted, released, left, again, answer)).not.toBe("invalid");
    const plain = again.replace("{:mode :shared}", "nil");
    await expect(verdictOf(asked, granted, released, left, plain, answer)).rejects.toThrow(
      "line 6: an answer that says",
    );
    const leases = [asked, granted, released, left, plain, answer].map((line) =>
      line.replace(":mode :shared", ":px 9"),
    );
    await expect(verdictOf(...leases)).rejects.toThrow("line 6: :px 9: a lease");
  });

  it("is asked for where a field may say it, and differs", async () => {
    const modes = [...done("acquire", 0, 10, "{:kind :read}"), ...done("acquire", 1, 20, "{:kind :upgradeable}")];
    await expect(verdictOf(...modes)).rejects.toThrow(
      'line 3: :kind "upgradeable", where an earlier acquire has "shared"',
    );
    expect(await verdictOf(...together("{:lock-type :redlock}"))).toBe("invalid");
    const [asked = "", granted = "", ...rest] = together("{:lock-type :upgradeable}");
    const differing = [asked, granted, ...rest.map((line) => line.replace(":upgradeable", ":optimistic"))];
    await expect(verdictOf(...differing)).rejects.toThrow(
      'line 3: :lock-type "optimistic", where an earlier acquire has',
    );
  });
});

describe("the name of a lock", () => {
  it.each([
    ", :key 9007199254740993%",
    ", :key [:a %]",
    ", :key {:id %}",
    ", :lock {:id %}",
    ", :lock-id 9007199254740993%",
  ])("may be of any kind: %s", async (beside) => {
    expect(await verdictOf(...eachWith(() => "nil", beside))).toBe("valid");
    expect(await verdictOf(...eachWith(() => "nil", beside.replace("%", "7")))).toBe("invalid");
  });

  it.each(["{:key [1 %]}", "{:key 9007199254740993%}", "{:lock-id 9007199254740993%}", "[9007199254740993% nil]"])(
    "may be so in the value: %s",
    async (value) => {
      expect(await verdictOf(...eachWith((process) => value.replace("%", String(process + 3))))).toBe("valid");
      expect(await verdictOf(...eachWith(() => value.replace("%", "3")))).toBe("invalid");
    },
  );

  it("is asked for where a map may be one, and differs", async () => {
    await expect(verdictOf(...eachWith((process) => `{:lock {:name ${process}}}`))).rejects.toThrow(
      'line 3: :lock {"name":1}, where an earlier acquire has',
    );
    expect(await verdictOf(...eachWith(() => "{:lock {:name 1}}"))).toBe("invalid");
  });
});

it.each(["9007199254740993", "[7 1]", "{:id 7}"])(
  "an owner may be %s, which another process gives back",
  async (owner) => {
    const handed = [
      ...done("acquire", 0, 10, `{:owner ${owner}}`),
      ...done("release", 3, 20, `{:owner ${owner}}`),
      ...done("acquire", 1, 30, "{:owner 8}"),
      ...done("acquire", 2, 40, "{:owner 9}").map((line) => line.replace(":ok", ":fail")),
    ];
    expect(await verdictOf(...handed)).toBe("valid");
  },
);

describe("a release whose answer says nothing", () => {
  const late = (lease: string, answer: string): readonly string[] => [
    ...done("acquire", 0, 10, `{:owner "a"${lease}}`),
    ...done("acquire", 1, 400, `{:owner "b"${lease}}`),
    ...done("release", 0, 500).map((line, at) => (at === 1 ? line.replace("nil", answer) : line)),
    ...done("release", 1, 510, "nil").map((line, at) =>
      at === 1 ? line.replace("nil", answer === ":done" ? answer : ":released") : line,
    ),
  ];
  const accused = async (...lines: readonly string[]): Promise<readonly string[]> => {
    const { properties } = (await judge(...lines)).verdict;
    return Object.entries(properties).flatMap(([property, { verdict }]) => (verdict === "invalid" ? [property] : []));
  };

  it.each(["nil", "{}", ":done", '{:owner "a"}'])(
    "may have found nothing after the lease of its owner: %s",
    async (answer) => {
      expect(await accused(...late(", :ttl-ms 300", answer))).toEqual(["mutual-exclusion"]);
      expect(await accused(...late(", :ttl-ms 300", ":released"))).toContain("owner-release");
    },
  );

  it("found the lock within that lease, and where there are none", async () => {
    expect(await accused(...late(", :ttl-ms 5000", "nil"))).toContain("linearizability");
    expect(await accused(...late("", "nil"))).toContain("linearizability");
    const twice = [
      ...done("acquire", 0, 10, '{:owner "a" :ttl-ms 5000}'),
      ...done("release", 0, 20),
      ...done("release", 0, 30),
    ];
    expect(await accused(...twice)).toEqual([]);
    const beside = [
      ...done("acquire", 0, 1, '{:owner "z" :ttl-ms 5000}'),
      ...done("release", 0, 5),
      ...done("acquire", 1, 10, '{:owner "b" :ttl-ms 50}'),
      ...done("extend", 1, 30, '{:owner "b" :ttl-ms 500}'),
    ];
    const ended = [...beside, ...done("release", 1, 100), ...done("extend", 1, 110, '{:owner "b" :ttl-ms 500}')];
    expect(await accused(...ended)).toContain("linearizability");
  });

  it("may be of a lock from before the recording, whose lease nobody knows", async () => {
    const strange = [...done("acquire", 1, 10, '{:owner "b" :ttl-ms 300}'), ...done("release", 0, 20, '{:owner "q"}')];
    expect(await accused(...strange, ...done("extend", 1, 30, '{:owner "b" :ttl-ms 300}'))).toEqual([]);
  });

  it("leaves its process what it was", async () => {
    const next = [...late(", :ttl-ms 300", "nil"), ...done("acquire", 0, 900, '{:owner "c", :ttl-ms 300}')];
    expect(await accused(...next)).toEqual(["mutual-exclusion"]);
  });
});
