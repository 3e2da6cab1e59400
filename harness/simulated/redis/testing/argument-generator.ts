import type { Random } from "../../../core/random.ts";

/** The forms of an argument: a kind of value, a fixed word, a choice, a sequence, or several of one form. */
export type Argument =
  | Kind
  | { readonly word: string }
  | { readonly oneOf: readonly Argument[] }
  | { readonly many: Argument; readonly from: number; readonly to: number }
  | readonly Argument[];

export type Kind =
  | "key"
  | "value"
  | "integer"
  | "small"
  | "index"
  | "draw"
  | "float"
  | "field"
  | "member"
  | "score"
  | "ttl-ms"
  | "ttl-s"
  | "at-ms"
  | "at-s"
  | "pattern"
  | "lex"
  | "stream-id"
  | "database"
  | "word";

const KEYS = ["a", "b", "c", "d", "e", "f", "a key", "", "\0\xff"];
const FIELDS = ["f1", "f2", "f3", "10", ""];
const MEMBERS = ["m1", "m2", "m3", "1", "2", "-5", "100", "3.5", "", "\xfe\x00"];
const TEXTS = [
  "",
  "x",
  "hello",
  "hello world",
  "0",
  "1",
  "-1",
  "10",
  "007",
  "+5",
  " 5",
  "5 ",
  "3.0",
  "0x10",
  "\r\n",
  "\0",
  "\xe9\xff",
];
const INTEGERS = [
  "0",
  "1",
  "-1",
  "2",
  "10",
  "-10",
  "100",
  "9007199254740991",
  "9007199254740993",
  "-9007199254740993",
  "4611686018427387904",
  "9223372036854775806",
  "9223372036854775807",
  "-9223372036854775807",
  "-9223372036854775808",
  "9223372036854775808",
  "18446744073709551616",
  "-0",
  "+1",
  "01",
  "1.0",
  "1e3",
  "abc",
  "",
  " 1",
];
const FLOATS = [
  ...["0", "1", "-1", "0.1", "0.2", "0.3", "3.14", "-2.5", "1e10", "1e17", "1e-10", "5e-324", "1.7976931348623157e308"],
  ...[
    "1e400",
    "1e-400",
    "inf",
    "-inf",
    "+inf",
    "Infinity",
    "nan",
    "0x1p3",
    "0x.8",
    "1.",
    ".5",
    ".",
    "1e",
    "abc",
    "",
    " 1",
    "1 ",
  ],
  ...[
    "123456789012345678",
    "0.1234567890123456789",
    "1234567.891",
    "1e21",
    "1e22",
    "100000000000000000000",
    "-0",
    "1_0",
  ],
];
const SCORES = [
  "0",
  "1",
  "2",
  "3",
  "-1",
  "1.5",
  "2.25",
  "1e3",
  "0.1",
  "inf",
  "-inf",
  "+inf",
  "nan",
  "x",
  "1e17",
  "12345678901234567890",
];
const PATTERNS = [
  "*",
  "a*",
  "?",
  "[a-c]",
  "[^a]",
  "h?llo",
  "\\*",
  "[",
  "[a",
  "*[bc]*",
  "a?*",
  "**",
  "f[1-2]",
  "m*",
  "",
];
const LEX = ["-", "+", "[a", "(a", "[m1", "(m2", "[", "(", "m1", "[m9"];
const STREAM_IDS = [
  "-",
  "+",
  "0",
  "0-0",
  "0-1",
  "1",
  "1-1",
  "2-0",
  "5-3",
  "*",
  "5-*",
  "$",
  "(1",
  "(1-1",
  "x",
  "1-",
  "18446744073709551615",
];

/** Draws single arguments. */
export class ArgumentGenerator {
  readonly #random: Random;
  readonly #nowMs: () => number;

  constructor(random: Random, nowMs: () => number) {
    this.#random = random;
    this.#nowMs = nowMs;
  }

  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean {
    return this.#random.integer(0, 99) < percent;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.#random.integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  draw(kind: Kind): string {
    switch (kind) {
      case "key":
        return this.chance(85) ? this.pick(KEYS.slice(0, 6)) : this.pick(KEYS);
      case "value":
        return this.#value();
      case "integer":
        return this.chance(50) ? String(this.#random.integer(-20, 20)) : this.pick(INTEGERS);
      case "small":
        return this.chance(93) ? String(this.#random.integer(1, 6)) : this.pick(INTEGERS);
      case "index":
        return this.chance(90) ? String(this.#random.integer(-6, 6)) : this.pick(INTEGERS);
      case "draw":
        // Not any number: "-9223372036854775807" members would crash the real server.
        return this.chance(90)
          ? String(this.#random.integer(-6, 6))
          : this.pick(["-9223372036854775808", "9223372036854775807", "4611686018427387904", "x", "1.5"]);
      case "float":
        return this.chance(30) ? (this.#random.integer(-1e6, 1e6) / 1000).toString() : this.pick(FLOATS);
      case "field":
        return this.pick(FIELDS);
      case "member":
        return this.pick(MEMBERS);
      case "score":
        return this.chance(60) ? String(this.#random.integer(-5, 10)) : this.pick(SCORES);
      case "ttl-ms":
        return this.chance(85) ? String(this.#random.integer(-5, 3000)) : this.pick(INTEGERS);
      case "ttl-s":
        return this.chance(85) ? String(this.#random.integer(-1, 5)) : this.pick(INTEGERS);
      case "at-ms":
        return this.chance(85) ? String(this.#nowMs() + this.#random.integer(-3, 1000)) : this.pick(INTEGERS);
      case "at-s":
        return this.chance(85)
          ? String(Math.floor(this.#nowMs() / 1000) + this.#random.integer(-1, 3))
          : this.pick(INTEGERS);
      case "pattern":
        return this.pick(PATTERNS);
      case "lex":
        return this.pick(LEX);
      case "stream-id":
        return this.chance(30) ? `${this.#random.integer(0, 9)}-${this.#random.integer(0, 4)}` : this.pick(STREAM_IDS);
      case "database":
        return this.chance(90) ? "0" : this.pick(["1", "15", "16", "-1", "x"]);
      case "word":
        return this.pick([
          "x",
          "nx",
          "xx",
          "get",
          "ex",
          "px",
          "withscores",
          "limit",
          "10",
          "",
          "match",
          "count",
          "ch",
          "incr",
        ]);
    }
  }

  #value(): string {
    if (this.chance(25)) return String(this.#random.integer(-100, 1000));
    if (this.chance(20)) return this.pick(INTEGERS);
    if (this.chance(15)) return this.pick(FLOATS);
    if (this.chance(8)) return "z".repeat(this.pick([43, 44, 45, 63, 64, 65, 200]));
    return this.pick(TEXTS);
  }
}
