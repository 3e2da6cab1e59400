import type { Random } from "../../../core/random.ts";
import type { CommandGenerator } from "./command-generator.ts";

/** Shows any value with its type and, for tables, in the order of `pairs`. */
const PRELUDE = `local function show(v, depth)
  if type(v) == 'table' then
    if depth > 3 then return '...' end
    local parts = {}
    for k, x in pairs(v) do parts[#parts + 1] = show(k, depth + 1) .. '=' .. show(x, depth + 1) end
    return '{' .. table.concat(parts, ',') .. '}#' .. #v
  elseif type(v) == 'number' then
    if v ~= v then return 'NaN' end
    return string.format('%.17g', v)
  elseif type(v) == 'function' then return 'function'
  elseif type(v) == 'string' then return '"' .. v .. '"' end
  return tostring(v)
end
local function P(f) local ok, v = pcall(f) return v end
local function K(v) if type(v) == 'table' or type(v) == 'function' then return type(v) end return tostring(v) end
`;

const NUMBERS = [
  "0",
  "1",
  "-1",
  "2",
  "3",
  "7",
  "10",
  "100",
  "0.5",
  "-2.5",
  "1e3",
  "1e15",
  "2^53",
  "1/3",
  "1e300",
  "0x1f",
  "1/0",
  "-1/0",
];
const TEXTS = [
  "",
  "a",
  "abc",
  "hello world",
  "10",
  "3.5",
  "0x10",
  " 5 ",
  "1e2",
  "-7",
  "k=v",
  "a,b,,c",
  "\0x",
  "\xe9",
  "%d",
  "x%",
  "ABC",
  "f(a(b)c)",
];
const PATTERNS = [
  "a",
  ".",
  "%w+",
  "(%w)(%w*)",
  "[a-c]",
  "[^a]",
  "%d*",
  "l-o",
  "^h",
  "o$",
  "()",
  "(a)(b)",
  "%s",
  "[%w_]+",
  "%b()",
  "(",
  "%",
  "[a",
  ".-",
  "%f[%w]%w+",
  "(.)%1",
  "x*",
];
const FORMATS = [
  "%d",
  "%5d",
  "%-5d|",
  "%05d",
  "%x",
  "%X",
  "%o",
  "%s",
  "%10s",
  "%-10s|",
  "%.2s",
  "%q",
  "%g",
  "%.3f",
  "%e",
  "%.14g",
  "%c",
  "%i",
  "%u",
  "%%",
  "%5.1f",
  "%+d",
  "%#x",
  "%y",
  "%",
];
const KEYS = [
  "'a'",
  "'b'",
  "'x'",
  "'key'",
  "'owner'",
  "1",
  "2",
  "3",
  "4",
  "5",
  "7",
  "-1",
  "0",
  "1.5",
  "true",
  "'n'",
  "'ttl'",
];
const OPERATORS = ["+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or"];

/**
 * Draws random scripts that end, mostly without an error, and show their results. They never raise a table without text
 * in `err`, because that crashes a real server.
 */
export class ScriptGenerator {
  readonly #random: Random;
  readonly #commands: CommandGenerator;

  constructor(random: Random, commands: CommandGenerator) {
    this.#random = random;
    this.#commands = commands;
  }

  /** An EVAL of a random script with two keys and three arguments. */
  next(): string[] {
    const lines = Array.from({ length: this.#random.integer(1, 5) }, () =>
      this.#chance(85) ? `P(function() ${this.#statement(3)} end)` : this.#statement(3),
    );
    const shown = Array.from({ length: this.#random.integer(1, 3) }, () => `show(${this.#safely(3)}, 0)`);
    const end = this.#chance(15)
      ? `return ${this.#expression(2)}`
      : `return {${["show(a,0)", "show(t,0)", ...shown].join(", ")}}`;
    const script = `${PRELUDE}local a, b, c = ${this.#safely(2)}, ${this.#safely(2)}, 'c'\nlocal t = P(function() return ${this.#table(2)} end)\nif type(t) ~= 'table' then b = t t = {} end\n${lines.join("\n")}\n${end}`;
    return ["eval", script, "2", "a", "b", "10", "x", "-3"];
  }

  #chance(percent: number): boolean {
    return this.#random.integer(0, 99) < percent;
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[this.#random.integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  #statement(depth: number): string {
    const inner = (): string => (depth > 1 ? this.#statement(depth - 1) : "b = a");
    const choices: readonly (() => string)[] = [
      () => `${this.#pick(["a", "b", "c"])} = ${this.#expression(depth)}`,
      () => `a, b = ${this.#expression(depth)}, ${this.#expression(depth)}`,
      () => `t[${this.#pick(KEYS)}] = ${this.#expression(depth)}`,
      () => `t[${this.#pick(KEYS)}] = ${this.#expression(depth)}`,
      () => `t.${this.#pick(["a", "b", "x", "key"])} = nil`,
      () => `if ${this.#expression(depth)} then ${inner()} else ${inner()} end`,
      () =>
        `for i = ${this.#random.integer(-2, 3)}, ${this.#random.integer(0, 6)}${this.#pick(["", ", 2", ", -1", ", 0.5"])} do t[i] = i ${inner()} end`,
      () => `for k, v in pairs(${this.#table(2)}) do t[k] = v end`,
      () => `for i, v in ipairs(${this.#pick(["t", "{5, 6, nil, 7}", this.#table(1)])}) do b = v end`,
      () =>
        `for w in string.gmatch(${this.#text()}, ${quote(this.#pick(["%w+", ".", "(%w)(%w)", "[^,]*"]))}) do t[#t + 1] = w end`,
      () =>
        `do local n = 0 while n < 3 do n = n + 1 ${this.#chance(30) ? "if n == 2 then break end" : ""} end a = n end`,
      () => `do local n = 0 repeat local m = n n = n + 1 until m >= 2 b = n end`,
      // In parentheses it is a single value. The first of two would be a position, and -1/0 a position that takes
      // minutes to fill up to.
      () => `table.insert(t, ${this.#chance(30) ? `${this.#random.integer(1, 4)}, ` : ""}(${this.#expression(1)}))`,
      () => `b = table.remove(t${this.#chance(40) ? `, ${this.#random.integer(0, 4)}` : ""})`,
      () =>
        `table.sort(t${this.#pick(["", ", function(x, y) return K(x) < K(y) end", ", function(x, y) return K(x) > K(y) end"])})`,
      () => `c = ${this.#redisCall()}`,
      () => `a = ${this.#redisCall()}`,
      () => `local ok, e = pcall(function() ${inner()} return ${this.#expression(depth - 1)} end) b = e`,
      () => this.#rare(),
    ];
    return this.#pick(choices)();
  }

  #rare(): string {
    return this.#pick([
      `error(${this.#pick([this.#text(), "'x', 0", "'y', 2", "nil", "5", "{err = 'MY fault'}"])})`,
      "setmetatable(t, {__index = function(_, k) return k end})",
      "setmetatable(t, {__newindex = function(s, k, v) rawset(s, k, tostring(v)) end})",
      "t = setmetatable({}, {__call = function(_, x) return x end, __concat = function() return 'cat' end, __add = function() return 1 end})",
      `foo = ${this.#expression(1)}`,
      "redis.setresp(3)",
      `assert(${this.#expression(1)})`,
      "local function f(...) return select('#', ...), ... end a, b = f(a, nil, b)",
      "local function f(n) if n <= 0 then return 0 end return n + f(n - 1) end a = f(10)",
      "t.self = 1 function t:m(x) return self.self, x end a, b = t:m(4) t.m = nil",
      "math.randomseed(7) a = math.random(100) b = math.random()",
    ]);
  }

  /** An expression whose error becomes its value, mostly. */
  #safely(depth: number): string {
    const expression = this.#expression(depth);
    return this.#chance(90) ? `P(function() return ${expression} end)` : expression;
  }

  #text(): string {
    return quote(this.#pick(TEXTS));
  }

  #number(): string {
    return this.#pick(NUMBERS);
  }

  #table(depth: number): string {
    const field = (): string => {
      const value = this.#expression(Math.max(0, depth - 1));
      return this.#chance(50) ? value : `[${this.#pick(KEYS)}] = ${value}`;
    };
    return `{${Array.from({ length: this.#random.integer(0, 5) }, field).join(", ")}}`;
  }

  #expression(depth: number): string {
    if (depth <= 0)
      return this.#pick([this.#number(), this.#text(), "nil", "true", "false", "KEYS[1]", "ARGV[1]", "ARGV[9]"]);
    const inner = (): string => this.#expression(depth - 1);
    const choices: readonly (() => string)[] = [
      () => this.#number(),
      () => this.#text(),
      () => this.#table(depth),
      () => `(${inner()} ${this.#pick(OPERATORS)} (${inner()} or nil))`,
      // Nothing here yields -0: real Lua may turn such constants into 0 while it compiles.
      () => `(${this.#pick(NUMBERS.slice(1, -2))} ${this.#pick(OPERATORS)} ${this.#pick(NUMBERS.slice(1, -2))})`,
      () => `(${this.#text()} .. ${this.#number()})`,
      () => this.#pick(["KEYS[1]", "ARGV[1]", "#KEYS", "#ARGV", "ARGV[3]", "KEYS[7]", "_VERSION"]),
      () => `${this.#pick(["not ", "-", "#"])}(${inner()} or nil)`,
      () => this.#stringCall(),
      () => this.#libraryCall(depth),
      () => `tostring(${inner()})`,
      () => `tonumber(${inner()}${this.#chance(20) ? `, ${this.#pick(["2", "16", "36", "1", "10"])}` : ""})`,
      () => `type(${inner()})`,
      () =>
        `(function(x, ...) return ${this.#pick(["x", "...", "x, ...", "select('#', ...)"])} end)(${inner()}, ${inner()})`,
      () => `({${inner()}, ${inner()}})[${this.#pick(["1", "2", "3", "'x'"])}]`,
      () => this.#redisCall(),
    ];
    return this.#pick(choices)();
  }

  #stringCall(): string {
    const text = this.#text();
    const pattern = quote(this.#pick(PATTERNS));
    const index = String(this.#random.integer(-4, 6));
    return this.#pick([
      `string.find(${text}, ${pattern})`,
      `{string.find(${text}, ${pattern}, ${index})}`,
      `{string.match(${text}, ${pattern})}`,
      `{string.gsub(${text}, ${pattern}, ${quote(this.#pick(["", "-", "%0", "%1", "<%0>", "%%", "%2", "%"]))})}`,
      `{string.gsub(${text}, ${pattern}, function(x, y) return y or x end)}`,
      `string.gsub(${text}, ${pattern}, {a = 'A', hello = 1}, ${index})`,
      `string.sub(${text}, ${index}, ${this.#random.integer(-4, 6)})`,
      `string.format(${quote(this.#pick(FORMATS))}, ${this.#chance(70) ? this.#number() : text})`,
      `string.format(${quote(this.#pick(FORMATS) + this.#pick(FORMATS))}, ${this.#number()}, ${text})`,
      `string.rep(${text}, ${this.#random.integer(-1, 4)})`,
      `{string.byte(${text}, ${index}, ${this.#random.integer(-3, 5)})}`,
      `string.upper(${text})`,
      `string.reverse(${text})`,
      `(${text}):len()`,
      `#${text}`,
    ]);
  }

  #libraryCall(depth: number): string {
    const inner = (): string => this.#expression(depth - 1);
    return this.#pick([
      `math.floor(${this.#number()})`,
      `math.ceil(${inner()})`,
      `math.max(${this.#number()}, ${inner()})`,
      `math.min(${this.#number()}, ${this.#number()}, ${this.#number()})`,
      `math.abs(${inner()})`,
      `math.fmod(${this.#number()}, ${this.#number()})`,
      `{math.modf(${this.#number()})}`,
      `cjson.encode(${inner()})`,
      `cjson.encode(${this.#table(2)})`,
      `cjson.decode(${quote(this.#pick(['[1,2,{"a":null}]', '{"a":1,"b":[true,false]}', '"x"', "1.5", "[", "{}", "[]", '{"a"}', "nul", '"\\u00e9"', " [1 , 2] ", "01", "-1e3", "[1,]"]))})`,
      `table.concat(${this.#pick(["{1, 2, 'x'}", "t", this.#table(1)])}, ${this.#pick(["','", "''", "1"])})`,
      `{unpack(${this.#pick(["{1, 2, 3}", "t"])})}`,
      `{select(${this.#pick(["1", "2", "-1", "'#'", "5"])}, 'x', 'y', 'z')}`,
      `bit.${this.#pick(["band", "bor", "bxor"])}(${this.#pick(["12", "-1", "2^32", "1.5", "0xff"])}, ${this.#pick(["10", "7", "-2"])})`,
      `bit.${this.#pick(["lshift", "rshift", "arshift", "rol", "ror"])}(${this.#pick(["12", "-1", "1"])}, ${this.#random.integer(0, 33)})`,
      `bit.tohex(${this.#pick(["255", "-1", "2^40"])}, ${this.#pick(["4", "-4", "8"])})`,
      `redis.sha1hex(${this.#text()})`,
      `redis.${this.#pick(["status_reply", "error_reply"])}(${this.#text()})`,
      `next(${this.#table(1)})`,
      `rawget(t, ${this.#pick(KEYS)})`,
      `rawequal(${inner()}, ${inner()})`,
      `{pcall(${this.#pick(["error, 'x'", "string.rep", "tostring", "redis.call, 'get'"])})}`,
    ]);
  }

  #redisCall(): string {
    const argv = this.#commands.next();
    const name = this.#chance(30) ? "call" : "pcall";
    const args = argv.map((each) => (/^(?:0|-?[1-9][0-9]{0,2})$/.test(each) && this.#chance(50) ? each : quote(each)));
    return `redis.${name}(${args.join(", ")})`;
  }
}

/** A Lua literal for a binary text. */
function quote(text: string): string {
  return `"${text.replaceAll(/[^ !#-[\]-~]/g, (byte) => `\\${byte.charCodeAt(0).toString().padStart(3, "0")}`)}"`;
}
