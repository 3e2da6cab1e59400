import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIRECTIVE_VALUE, redisArguments, redisDirective } from "./directives.ts";
import { topologySchema } from "./topology.ts";

const problem = (config: Readonly<Record<string, string>>, kind = "single"): string | undefined =>
  topologySchema.safeParse({ kind, config }).error?.issues[0]?.message;

describe("a plan's directives", () => {
  it.each([
    [{ "min-replicas-to-write": "1" }],
    [{ save: "" }],
    [{ save: '""' }],
    [{ "client-output-buffer-limit": "replica 256mb 64mb 60" }],
    [{ "proc-title-template": "'{title} {port}'" }],
  ])("may be %j", (config) => {
    expect(problem(config)).toBeUndefined();
  });

  it.each([
    ["a value of two lines", { appendonly: "yes\nport 1" }],
    ["a carriage return", { appendonly: "yes\rport 1" }],
    ["a line separator", { appendonly: "yes\u2028port 1" }],
    ["an escape", { appendonly: String.raw`yes\nport 1` }],
    ["NUL", { appendonly: "yes\0" }],
    ["half a character", { appendonly: "\ud800" }],
    ["a very long value", { appendonly: "y".repeat(1001) }],
  ])("may not have %s, on any server", (_, config) => {
    for (const kind of ["single", "postgres", "zookeeper"]) expect(problem(config, kind)).toMatch(/^is not a value/);
  });

  it.each(["", "#save", "save 1 1\nport", "a b", "-x", "=", "\u{1b}[2J"])("may not be called %j", (name) => {
    expect(problem({ [name]: "1" })).toBeDefined();
  });

  it.each(["dir", "port", "Dir", "include", "loadmodule", "replicaof", "logfile"])(
    "may not set %s on Redis",
    (name) => {
      expect(problem({ [name]: "/etc" })).toBe("is set by lockstorm itself");
      expect(problem({ [name]: "/etc" }, "postgres")).toBeUndefined();
    },
  );

  it.each(['"a', "a'", 'a"b"', '"a"b'])("may not leave a quote open or within a word: %s", (value) => {
    expect(problem({ save: value })).toMatch(/quote/);
    expect(problem({ save: value }, "postgres")).toBeUndefined();
  });
});

describe("a line of redis.conf", () => {
  it.each([
    ["appendonly", "yes", "appendonly yes"],
    ["save", "", 'save ""'],
    ["save", '""', 'save ""'],
    ["save", '"3600 1"', 'save "3600 1"'],
    ["replicaof", "10.213.7.10 6379", "replicaof 10.213.7.10 6379"],
    ["x", "'a\"b' #c", String.raw`x "a\x22b" "#c"`],
    ["x", "a\nport 1", String.raw`x a port 1`],
  ])("%s %j is %s", (name, value, line) => {
    expect(redisDirective(name, value)).toBe(line);
  });

  it("is one line with these arguments, regardless of the value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const line = redisDirective("x", value);
        expect(line).not.toMatch(/\p{Cc}/u);
        if (!DIRECTIVE_VALUE.test(value) || value.includes('"')) return;
        const given = redisArguments(value);
        if (given !== undefined && given.length > 0) expect(redisArguments(line)?.slice(1)).toEqual(given);
      }),
    );
  });
});
