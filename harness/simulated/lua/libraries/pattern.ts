import { LuaError } from "../value.ts";

/** A capture of the pattern: text, or the position (counted from 1) of `()`. */
export type Capture = string | number;

export interface Match {
  /** Counted from 0; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly captures: readonly Capture[];
  /** Whether the pattern has captures; without them, `captures` is the whole match. */
  readonly hasCaptures: boolean;
  /**
   * One capture, from 0; the whole match for 0 where there are none.
   * @throws LuaError when that capture does not exist
   */
  capture(index: number): Capture;
}

const MOST_CAPTURES = 32;
const MOST_RECURSION = 200;
const OPEN = -1;
const POSITION = -2;

/** Lua 5.1's pattern matching (reference manual, section 5.4.1), on binary strings. */
export class PatternMatcher {
  readonly #subject: string;
  readonly #pattern: string;
  readonly #captures: { start: number; length: number }[] = [];
  #level = 0;
  #recursion = 0;

  /** A pattern ends at its first NUL, like texts in C. */
  constructor(subject: string, pattern: string) {
    this.#subject = subject;
    const end = pattern.indexOf("\0");
    this.#pattern = end < 0 ? pattern : pattern.slice(0, end);
  }

  /**
   * The first match at or after `from`; undefined when there is none.
   * @param anchors false where `^` at the beginning is an ordinary character, as in `gmatch`
   * @throws LuaError for a malformed pattern
   */
  find(from: number, anchors = true): Match | undefined {
    const anchored = anchors && this.#pattern.startsWith("^");
    for (let start = from; start <= this.#subject.length; start += 1) {
      this.#level = 0;
      const end = this.#match(start, anchored ? 1 : 0);
      if (end !== undefined) return this.#matched(start, end);
      if (anchored) return undefined;
    }
    return undefined;
  }

  /** Captures are checked only when they are used: until then an unfinished one is no error. */
  #matched(start: number, end: number): Match {
    const collect = (): readonly Capture[] => this.#collect(start, end);
    return {
      start,
      end,
      hasCaptures: this.#level > 0,
      get captures() {
        return collect();
      },
      capture: (index) => {
        if (index < this.#level) return this.#capture(index);
        if (index === 0) return this.#subject.slice(start, end);
        throw new LuaError("invalid capture index");
      },
    };
  }

  #collect(start: number, end: number): readonly Capture[] {
    if (this.#level === 0) return [this.#subject.slice(start, end)];
    return Array.from({ length: this.#level }, (_, index) => this.#capture(index));
  }

  #capture(index: number): Capture {
    const capture = this.#captures[index];
    if (capture === undefined || capture.length === OPEN) throw new LuaError("unfinished capture");
    if (capture.length === POSITION) return capture.start + 1;
    return this.#subject.slice(capture.start, capture.start + capture.length);
  }

  #match(at: number, pattern: number): number | undefined {
    this.#recursion += 1;
    if (this.#recursion > MOST_RECURSION * 1000) throw new LuaError("pattern too complex");
    let [s, p] = [at, pattern];
    for (;;) {
      if (p >= this.#pattern.length) return s;
      switch (this.#pattern.charAt(p)) {
        case "(":
          return this.#pattern[p + 1] === ")" ? this.#open(s, p + 2, POSITION) : this.#open(s, p + 1, OPEN);
        case ")":
          return this.#close(s, p + 1);
        case "$":
          if (p + 1 === this.#pattern.length) return s === this.#subject.length ? s : undefined;
          break;
        case "%": {
          const next = this.#pattern.charAt(p + 1);
          if (next === "b") {
            const end = this.#balance(s, p + 2);
            if (end === undefined) return undefined;
            [s, p] = [end, p + 4];
            continue;
          }
          if (next === "f") {
            const set = p + 2;
            if (this.#pattern[set] !== "[") throw new LuaError("missing '[' after '%f' in pattern");
            const end = this.#classEnd(set);
            const before = s === 0 ? "\0" : this.#subject.charAt(s - 1);
            const after = s < this.#subject.length ? this.#subject.charAt(s) : "\0";
            if (this.#inSet(before, set, end - 1) || !this.#inSet(after, set, end - 1)) return undefined;
            p = end;
            continue;
          }
          if (/\d/.test(next)) {
            const text = this.#backReference(next);
            if (!this.#subject.startsWith(text, s)) return undefined;
            [s, p] = [s + text.length, p + 2];
            continue;
          }
        }
      }
      const end = this.#classEnd(p);
      switch (this.#pattern.charAt(end)) {
        case "?": {
          if (this.#single(s, p, end)) {
            const result = this.#match(s + 1, end + 1);
            if (result !== undefined) return result;
          }
          p = end + 1;
          continue;
        }
        case "*":
          return this.#most(s, p, end, 0);
        case "+":
          return this.#most(s, p, end, 1);
        case "-":
          return this.#fewest(s, p, end);
        default:
          if (!this.#single(s, p, end)) return undefined;
          [s, p] = [s + 1, end];
      }
    }
  }

  #most(s: number, p: number, end: number, least: number): number | undefined {
    let count = 0;
    while (this.#single(s + count, p, end)) count += 1;
    for (; count >= least; count -= 1) {
      const result = this.#match(s + count, end + 1);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  #fewest(from: number, p: number, end: number): number | undefined {
    for (let s = from; ; s += 1) {
      const result = this.#match(s, end + 1);
      if (result !== undefined) return result;
      if (!this.#single(s, p, end)) return undefined;
    }
  }

  #open(s: number, p: number, length: number): number | undefined {
    if (this.#level >= MOST_CAPTURES) throw new LuaError("too many captures");
    this.#captures[this.#level] = { start: s, length };
    this.#level += 1;
    const result = this.#match(s, p);
    if (result === undefined) this.#level -= 1;
    return result;
  }

  #close(s: number, p: number): number | undefined {
    let index = this.#level - 1;
    while (index >= 0 && this.#captures[index]?.length !== OPEN) index -= 1;
    const capture = this.#captures[index];
    if (capture === undefined) throw new LuaError("invalid pattern capture");
    capture.length = s - capture.start;
    const result = this.#match(s, p);
    if (result === undefined) capture.length = OPEN;
    return result;
  }

  #balance(s: number, p: number): number | undefined {
    const [begin, end] = [this.#pattern[p], this.#pattern[p + 1]];
    if (begin === undefined || end === undefined) throw new LuaError("unbalanced pattern");
    if (this.#subject[s] !== begin) return undefined;
    let depth = 1;
    for (let index = s + 1; index < this.#subject.length; index += 1) {
      const character = this.#subject[index];
      if (character === end) {
        depth -= 1;
        if (depth === 0) return index + 1;
      } else if (character === begin) depth += 1;
    }
    return undefined;
  }

  #backReference(digit: string): string {
    const index = Number(digit) - 1;
    const capture = this.#captures[index];
    if (index < 0 || index >= this.#level || capture === undefined || capture.length === OPEN) {
      throw new LuaError("invalid capture index");
    }
    return this.#subject.slice(capture.start, capture.start + Math.max(0, capture.length));
  }

  /** The end of the single-character class that begins at `p`. */
  #classEnd(p: number): number {
    const character = this.#pattern.charAt(p);
    if (character === "%") {
      if (p + 1 >= this.#pattern.length) throw new LuaError("malformed pattern (ends with '%')");
      return p + 2;
    }
    if (character !== "[") return p + 1;
    let index = p + 1;
    if (this.#pattern[index] === "^") index += 1;
    do {
      if (index >= this.#pattern.length) throw new LuaError("malformed pattern (missing ']')");
      index += this.#pattern[index] === "%" ? 2 : 1;
    } while (this.#pattern[index] !== "]");
    return index + 1;
  }

  #single(s: number, p: number, end: number): boolean {
    if (s >= this.#subject.length) return false;
    const character = this.#subject.charAt(s);
    switch (this.#pattern.charAt(p)) {
      case ".":
        return true;
      case "%":
        return inClass(character, this.#pattern.charAt(p + 1));
      case "[":
        return this.#inSet(character, p, end - 1);
      default:
        return this.#pattern[p] === character;
    }
  }

  /** Whether a character is in the set from `[` at `p` to `]` at `last`. */
  #inSet(character: string, p: number, last: number): boolean {
    let index = p + 1;
    const negated = this.#pattern[index] === "^";
    if (negated) index += 1;
    for (; index < last; index += 1) {
      if (this.#pattern[index] === "%") {
        index += 1;
        if (inClass(character, this.#pattern.charAt(index))) return !negated;
      } else if (this.#pattern[index + 1] === "-" && index + 2 < last) {
        if (this.#pattern.charAt(index) <= character && character <= this.#pattern.charAt(index + 2)) return !negated;
        index += 2;
      } else if (this.#pattern[index] === character) return !negated;
    }
    return negated;
  }
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  a: /[A-Za-z]/,
  // oxlint-disable-next-line no-control-regex -- control characters are what this class is
  c: /[\0-\x1f\x7f]/,
  d: /[0-9]/,
  l: /[a-z]/,
  p: /[!-/:-@[-`{-~]/,
  s: /[\t-\r ]/,
  u: /[A-Z]/,
  w: /[0-9A-Za-z]/,
  x: /[0-9A-Fa-f]/,
  z: /\0/,
};

function inClass(character: string, letter: string): boolean {
  const known = CLASSES[letter.toLowerCase()];
  if (known === undefined) return letter === character;
  return known.test(character) === (letter === letter.toLowerCase());
}
