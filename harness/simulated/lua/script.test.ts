import { describe, expect, test } from "vitest";
import { compile, createRuntime, LuaBudgetError, LuaError, LuaTable, runScript, type Value } from "./script.ts";

const runtime = createRuntime("user_script", () => ({}));

function run(source: string): readonly Value[] {
  const globals = { KEYS: LuaTable.of("k1"), ARGV: LuaTable.of("a", "b") };
  return runScript(compile(source, "user_script")(runtime), runtime, { globals, steps: 100_000 });
}

function errorOf(source: string): Value {
  try {
    run(source);
  } catch (error) {
    if (error instanceof LuaError) return error.value;
    throw error;
  }
  throw new Error(`no error from ${source}`);
}

describe("values and operators", () => {
  test.each<[source: string, ...expected: Value[]]>([
    ["return KEYS[1], ARGV[2], #ARGV", "k1", "b", 2],
    ["return 10 / 2, 7 % 3, -7 % 3, 2 ^ 10, 7 % -3", 5, 1, 2, 1024, -2],
    [
      "return tostring(10 / 2), tostring(0.1), tostring(1e15), tostring(2 ^ 53)",
      "5",
      "0.1",
      "1e+15",
      "9.007199254741e+15",
    ],
    ["return tostring(1/0), tostring(-1/0), tostring(0/0)", "inf", "-inf", "-nan"],
    ["return '10' + 1, 1 .. 2, 'a' .. 1.5", 11, "12", "a1.5"],
    ["return 1 == '1', 'a' < 'b', not nil, nil == false", false, true, true, false],
    ["return 1 and 2 or 3, nil or false, false and 1, false == nil", 2, false, false, false],
    [
      "return tonumber('0x10'), tonumber(' 12 '), tonumber('1e2'), tonumber('z', 36), tonumber('x')",
      16,
      12,
      100,
      35,
      undefined,
    ],
  ])("%s", (source, ...expected) => {
    expect(run(source)).toEqual(expected);
  });
});

describe("functions and control flow", () => {
  test.each<[source: string, ...expected: Value[]]>([
    ["local function f(...) return select('#', ...), ... end return f(1, nil, 3)", 3, 1, undefined, 3],
    ["local a, b = (function() return 1, 2 end)() return a, b, ((function() return 1, 2 end)())", 1, 2, 1],
    ["local i = 0 repeat local j = i i = i + 1 until j >= 3 return i", 4],
    ["local s = 0 for i = 10, 1, -3 do s = s + i end return s", 22],
    ["local fs = {} for i = 1, 3 do fs[i] = function() return i end end return fs[1](), fs[3]()", 1, 3],
    ["local a, b = 1, 2 a, b = b, a return a, b", 2, 1],
    ["local t, i = {}, 1 i, t[i] = i + 1, 20 return i, t[1], t[2]", 2, 20, undefined],
    ["local o = {n = 3} function o:get(k) return self.n + k end return o:get(4)", 7],
    ["local t = setmetatable({}, {__index = function(t, k) return k .. '!' end}) return t.foo", "foo!"],
    ["local t = setmetatable({}, {__call = function(self, x) return x * 2 end}) return t(21)", 42],
    ["local ok, e = pcall(function() error('in') end) return ok, e", false, "user_script:1: in"],
    ["return pcall(error, 'plain')", false, "plain"],
    ["for i = 1, 3 do if i == 2 then break end end do return 'over' end", "over"],
    ["local n = 0 for k, v in pairs({1, 2, a = 3, b = 4}) do n = n + v end return n", 10],
    ["local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end return next(t)", undefined],
  ])("%s", (source, ...expected) => {
    expect(run(source)).toEqual(expected);
  });
});

describe("libraries", () => {
  test.each<[source: string, ...expected: Value[]]>([
    ["return string.find('hello world', 'o w')", 5, 7],
    ["return ('key=val'):match('(%w+)=(%w+)')", "key", "val"],
    ["return string.gsub('abc', '%w', '%0%0')", "aabbcc", 3],
    ["return string.gsub('a.b', '%.', function(c) return '[' .. c .. ']' end)", "a[.]b", 1],
    ["return string.gsub('', '', 'x')", "x", 1],
    ["return string.gsub('ab', '', '-')", "-a-b-", 3],
    ["return string.find('a+b', '+', 1, true), string.find('x', '()')", 2, 1, 0, 1],
    ["return string.format('%5.2f|%d|%x|%q|%s', 3.14159, 42, 255, 'a\"b', 'z')", ' 3.14|42|ff|"a\\"b"|z'],
    ["return string.format('%5s|%-5s|%05d|%.3s|%%', 'a', 'b', 42, 'abcdef')", "    a|b    |00042|abc|%"],
    ["return string.find('f(a(b)c)', '%b()', 4)", 4, 6],
    ["return string.find('a(b', '[(]b')", 2, 3],
    ["return string.byte('abc', 1, -1)", 97, 98, 99],
    ["local s = '' for w in string.gmatch('one two', '%a+') do s = s .. w .. ';' end return s", "one;two;"],
    ["local t = {5, 2, 8} table.sort(t, function(a, b) return a > b end) return unpack(t)", 8, 5, 2],
    ["local t = {1, 2} table.insert(t, 1, 0) return table.remove(t), table.concat(t, ',')", 2, "0,1"],
    ["return bit.band(0xff, 0x0f), bit.tohex(255), bit.bxor(-1, 1)", 15, "000000ff", -2],
    ["return cjson.encode({1, 2, {a = 'b/c'}})", '[1,2,{"a":"b\\/c"}]'],
    [
      'local d = cjson.decode(\'{"a":[1,null,"\\\\u00e9"]}\') return d.a[1], d.a[2] == cjson.null, d.a[3]',
      1,
      true,
      "\u00c3\u00a9",
    ],
    ["return math.floor(3.7), math.max(1, 5, 3), math.huge > 1", 3, 5, true],
  ])("%s", (source, ...expected) => {
    expect(run(source)).toEqual(expected);
  });
});

test("strings are never taken for what they say", () => {
  expect(run("return 'end'")).toEqual(["end"]);
  expect(run("return 'end', [[\nuntil]], ''")).toEqual(["end", "until", ""]);
  expect(run("local t = {'}', ';', ',', [']'] = '['} return #t, t[']']")).toEqual([3, "["]);
  expect(run("return string.upper'end', ('end'), #'end'")).toEqual(["END", "end", 3]);
  for (const wrong of ["return {1 ''}", "return 1 ','", "return f(1 ')'"]) expect(errorOf(wrong)).toMatch(/near/);
});

test("a semicolon may follow break", () => {
  const script =
    "local i = 0; while true do i = i + 1; if i > 2 then break; end; end; for _ = 1, 9 do break; end return i";
  expect(run(script)).toEqual([3]);
  expect(errorOf("while true do break;; end")).toMatch(/near/);
});

describe("errors", () => {
  test.each([
    ["local a; return a.x", "user_script:1: attempt to index local 'a' (a nil value)"],
    ["local t = {} \n t.x.y = 1", "user_script:2: attempt to index field 'x' (a nil value)"],
    ["local x = 5; x()", "user_script:1: attempt to call local 'x' (a number value)"],
    ["return 1 + {}", "user_script:1: attempt to perform arithmetic on a table value"],
    ["return 'a' < 1", "user_script:1: attempt to compare string with number"],
    ["return {} .. 'x'", "user_script:1: attempt to concatenate a table value"],
    ["return nothere", "user_script:1: Script attempted to access nonexistent global variable 'nothere'"],
    ["mine = 1", "user_script:1: Attempt to modify a readonly table"],
    ["string.x = 1", "user_script:1: Attempt to modify a readonly table"],
    ["string.rep()", "user_script:1: bad argument #1 to 'rep' (string expected, got no value)"],
    ["error('boom')", "user_script:1: boom"],
    ["error('boom', 0)", "boom"],
    ["local function f() return 1 + f() end return f()", "user_script:1: stack overflow"],
    ["if x then", "user_script:1: 'end' expected near '<eof>'"],
  ])("%s", (source, message) => {
    expect(errorOf(source)).toBe(message);
  });

  test("a script that does not end is given up, and pcall does not catch it", () => {
    expect(() => run("while true do end")).toThrow(LuaBudgetError);
    expect(() => run("pcall(function() while true do end end)")).toThrow(LuaBudgetError);
  });

  test("after an error the runtime is as good as new", () => {
    errorOf("local function f() error('deep') end f()");
    expect(run("return select(2, pcall(error, 'x', 1))")).toEqual(["x"]);
  });
});
