import type { Scenario, Step } from "./scenario.ts";

/** A library's code. */
function library(code: string, name = "l"): string {
  return `#!lua name=${name}\n${code}`;
}

/** A library with one function, `f`. `flags` are written as in Lua: `'no-writes', 'allow-oom'`. */
export function oneFunction(body: string, flags = ""): string {
  return library(
    `redis.register_function{function_name='f', flags={${flags}}, callback=function(KEYS, ARGV)\n${body}\nend}`,
  );
}

const ONE = "redis.register_function('f', function() return 1 end)";
const REPLACED = ["function", "load", "replace"] as const;

function on(name: string, ...commands: readonly (readonly string[])[]): Step[] {
  return commands.map((send) => ({ on: name, send }));
}

/** Loads a library with what is given to `redis.register_function`, shows it, and deletes it. */
function registering(args: string): Step[] {
  return on(
    "a",
    [...REPLACED, library(`redis.register_function(${args})`)],
    ["function", "list"],
    ["function", "delete", "l"],
  );
}

function calling(flags: string, body: string, ...more: readonly (readonly string[])[]): Step[] {
  return on("a", [...REPLACED, oneFunction(body, flags)], ["fcall", "f", "0"], ["fcall_ro", "f", "0"], ...more);
}

/** Libraries and functions, beyond what their code does. */
export const FUNCTION_SCENARIOS: readonly Scenario[] = [
  {
    name: "the arguments of FUNCTION and FCALL",
    steps: on(
      "a",
      ["function"],
      ["function", "nonesuch"],
      ["function", "load"],
      ["function", "load", "x"],
      ["function", "load", "nonesuch", "x"],
      ["function", "load", "a\r\nb", "x"],
      ["function", "load", "replace"],
      ["function", "load", "replace", "REPLACE", library(ONE)],
      ["function", "load", library(ONE)],
      ["function", "load", library(ONE, "other")],
      ["function", "list"],
      ["function", "list", "withcode", "libraryname", "L*"],
      ["function", "list", "libraryname", "x*", "WITHCODE"],
      ["function", "list", "x"],
      ["function", "list", "a\r\nb"],
      ["function", "list", "libraryname"],
      ["function", "list", "withcode", "withcode"],
      ["function", "list", "libraryname", "a", "libraryname", "b"],
      ["function", "stats"],
      ["function", "stats", "x"],
      ["function", "kill"],
      ["function", "delete"],
      ["function", "delete", "L"],
      ["function", "delete", "a", "b"],
      ["function", "restore", "x", "nonesuch"],
      ["function", "restore", "x", "flush", "y"],
      ["function", "dump", "x"],
      ["fcall", "nonesuch", "0"],
      ["fcall", "nonesuch", "x"],
      ["fcall", "f"],
      ["fcall", "F", "0"],
      ["fcall", "f", "x"],
      ["fcall", "f", "-1"],
      ["fcall", "f", "1"],
      ["fcall", "f", "99999999999999999999"],
      ["fcall", "f", "0", "more"],
      ["fcall_ro", "f", "0"],
      ["function", "flush", "nonesuch"],
      ["function", "flush", "sync", "x"],
      ["function", "flush", "ASYNC"],
      ["function", "flush"],
      ["function", "list"],
      [...REPLACED, oneFunction("return 1", "'allow-stale', 'NO-writes'")],
      ["function", "list", "withcode"],
      ["function", "stats"],
    ),
  },
  {
    name: "the headers of libraries",
    steps: on(
      "a",
      ...[
        "#!lua name=a",
        "#!lua\n",
        "#!\n",
        "#! name=a\n",
        "#!lua name=a name=b\n",
        "#!lua nam=a\n",
        "#!lua x\0y name=a\n",
        "#!js name=a\n",
        "#!js name=a-b\n",
        "#!lua name=a-b\n",
        "#!lua name=\n",
        '#!lua name="a\n',
        `#!lua "name=a b"\n${ONE}`,
        `#!LUA NAME=a\n${ONE}`,
        "#!lua name=b\nreturn 1",
        "#!lua name=b\nreturn",
        `#!lua name=b  \r\n${ONE.replace("'f'", "'g'")}`,
      ].map((code) => ["function", "load", code]),
      ["function", "list", "libraryname", "a"],
      ["function", "list", "libraryname", "b"],
    ),
  },
  {
    name: "what a library may do while it is loaded",
    steps: on(
      "a",
      ...[
        "redis.call('get', 'k')",
        "redis.pcall('get', 'k')",
        "redis.setresp(3)",
        "local x = redis.nonesuch",
        "redis.x = 1",
        "x = 1",
        "local y = x",
        "local s = string.len('a')",
        "error('x')",
        "local t = cjson",
        "local t = _G",
        "local t = KEYS",
        "redis.log(redis.LOG_NOTICE, 'x')",
        "redis.log()",
        "local x = redis.REDIS_VERSION + 1",
        "local x = redis.LOG_DEBUG + redis.LOG_WARNING\nlocal y = nil\ny()",
        `${ONE}\n${ONE}`,
        "while true do end",
      ].map((code) => [...REPLACED, library(code)]),
      ["function", "list"],
      [
        ...REPLACED,
        library(
          "local r, l, n = redis.register_function, redis.log, 0\nr('a', function()\n r('x', l)\nend)\nr('b', l)\nr('c', r)\nr('d', function() n = n + 1 return n end)\nr('e', function() return l(1) end)\nr('g', function() return tostring(redis.register_function) end)",
        ),
      ],
      ...["a", "b", "c", "d", "d", "e", "g"].map((name) => ["fcall", name, "0"]),
    ),
  },
  {
    name: "the arguments of redis.register_function",
    steps: [
      "",
      "1",
      "1, 2",
      "'a'",
      "'a', 1",
      "nil, function() end",
      "{}, function() end",
      "'a', function() end, 1",
      "'a-b', function() end",
      "'', function() end",
      "7, function() end",
      "{}",
      "{function_name='a'}",
      "{function_name='a', callback=1}",
      "{callback=function() end}",
      "{function_name={}, callback=function() end}",
      "{function_name='a', callback=function() end, other=1}",
      "{function_name='a', callback=function() end, flags=1}",
      "{function_name='a', callback=function() end, flags={'x'}}",
      "{function_name='a', callback=function() end, flags={1}}",
      "{function_name='a', callback=function() end, flags={{}}}",
      "{function_name='a', callback=function() end, flags={x='no-writes'}}",
      "{function_name='a', callback=function() end, description=1}",
      "{function_name='a', callback=function() end, description={}}",
      "{function_name=5, callback=function() end, flags={'NO-WRITES', 'no-cluster', 'allow-cross-slot-keys', 'allow-stale', 'allow-oom'}}",
      "{FUNCTION_NAME='a', Callback=function() end, description='what it does'}",
      "{'a', function() end}",
      "{[true]=1}",
    ].flatMap(registering),
  },
  {
    name: "functions that declare what they need, with and without memory",
    steps: [
      ...["", "'no-writes'", "'allow-oom'", "'no-writes', 'allow-oom'"].flatMap((flags) => [
        ...["return 1", "return redis.call('set', 'a', 'b')", "return redis.pcall('set', 'a', 'b')"].flatMap((body) =>
          calling(
            flags,
            body,
            ["config", "set", "maxmemory", "1"],
            ["fcall", "f", "0"],
            ["fcall_ro", "f", "0"],
            [...REPLACED, library(ONE)],
            ["config", "set", "maxmemory", "0"],
          ),
        ),
        ...calling(flags, "return redis.call('publish', 'a', 'b')"),
        ...calling(flags, "return redis.call('get', 'a')"),
      ]),
    ],
  },
  {
    name: "functions on a replica, and without enough replicas",
    config: { "min-replicas-to-write": "1" },
    marker: "echo",
    steps: [
      ...on("a", [...REPLACED, oneFunction("return 1")], ["fcall", "f", "0"]),
      ...on("a", ["config", "set", "min-replicas-to-write", "0"]),
      ...["", "'no-writes'", "'allow-stale'", "'no-writes', 'allow-stale'"].flatMap((flags) => [
        ...on("a", ["replicaof", "no", "one"]),
        ...calling(flags, "return redis.call('get', 'k')"),
        ...on("a", ["replicaof", "127.0.0.1", "1"], ["fcall", "f", "0"], ["fcall_ro", "f", "0"]),
        ...on("a", [...REPLACED, library(ONE)], ["function", "delete", "l"], ["function", "flush"]),
        ...on("a", ["config", "set", "replica-serve-stale-data", "no"], ["fcall", "f", "0"], ["fcall_ro", "f", "0"]),
        ...on("a", ["function", "list"], ["config", "set", "replica-serve-stale-data", "yes"]),
      ]),
    ],
  },
];
