/** An EDN value in JavaScript: keywords, symbols and characters are strings, sets and lists are arrays. */
export type EdnValue = null | boolean | number | bigint | string | readonly EdnValue[] | EdnMap;
export interface EdnMap {
  readonly [key: string]: EdnValue;
}

/** A form that is deeper, longer or has more parts than this is not an operation of a history. */
const MAX_DEPTH = 100;
const MAX_PARTS = 100_000;
const MAX_LENGTH = 16 * 1024 * 1024;

const CLOSING = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["#{", "}"],
]);
const ESCAPES = new Map([
  ["t", "\t"],
  ["r", "\r"],
  ["n", "\n"],
  ["b", "\b"],
  ["f", "\f"],
  ["\\", "\\"],
  ['"', '"'],
]);
const CHARACTERS = new Map([
  ["newline", "\n"],
  ["return", "\r"],
  ["space", " "],
  ["tab", "\t"],
]);
const SYMBOLIC = new Map([
  ["Inf", Infinity],
  ["-Inf", -Infinity],
  ["NaN", NaN],
]);
const BLANK = /[\s,]*/y;
const PLAIN = /[^"\\]*/y;
const WORD = /[^\s,()[\]{}"\\;]*/y;

/** A problem that more characters at the end of the line might have mended. */
class EndsTooEarly extends Error {}

interface Frame {
  readonly open: string;
  readonly items: EdnValue[];
  /** What stands before the next value: tags, which are dropped, and discards, which drop it. */
  readonly before: ("tag" | "discard")[];
}

/**
 * Reads EDN (github.com/edn-format/edn) line by line and gives each form when it is complete. A vector or list at the
 * top level is a sequence of forms and need not end. The reader is strict, reads each character once, and keeps one
 * form; every error is an `Error` that says what is wrong with the line that was pushed last.
 */
export class EdnForms {
  #stack: Frame[] = [frame("")];
  /** The string that is being read, if one is. */
  #text: string[] | undefined;
  #parts = 0;
  #length = 0;
  #complete: EdnValue[] = [];
  /** Whether the last line ended within an escape, a character, a tag or a number. */
  #isCut = false;

  /** Whether a form has begun and not ended. A vector or list at the top level does not count. */
  get isOpen(): boolean {
    const isWithin = this.#stack.length > (this.#isSequence() ? 2 : 1);
    return this.#isCut || this.#text !== undefined || isWithin || this.#top().before.length > 0;
  }

  /** The forms that end on this line. @throws Error when the line is not EDN */
  push(line: string): readonly EdnValue[] {
    this.#complete = [];
    this.#read(line);
    return this.#complete;
  }

  /** The same of a last line without a line feed, which may be cut off anywhere. @throws Error when it is not EDN before that */
  pushUnterminated(line: string): readonly EdnValue[] {
    this.#complete = [];
    try {
      this.#read(line);
    } catch (error) {
      if (!(error instanceof EndsTooEarly)) throw error;
      this.#isCut = true;
    }
    return this.#complete;
  }

  #read(line: string): void {
    this.#length += line.length;
    if (this.#length > MAX_LENGTH) throw new Error("a form that is not closed");
    let at = this.#text === undefined ? 0 : this.#string(line, 0);
    while ((at = after(BLANK, line, at)) < line.length && line[at] !== ";") at = this.#part(line, at);
    if (!this.isOpen) this.#length = 0;
  }

  #part(line: string, at: number): number {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS)
      throw new Error(`a form that is not closed, or has more than ${MAX_PARTS.toLocaleString("en")} parts`);
    const char = line[at]!;
    if (CLOSING.has(char)) return this.#open(char, at + 1);
    if (char === ")" || char === "]" || char === "}") return this.#close(char, at + 1);
    if (char === '"') return this.#begin(line, at + 1);
    if (char === "\\") return this.#character(line, at + 1);
    if (char === "#") return this.#dispatch(line, at + 1);
    const end = after(WORD, line, at);
    this.#value(atom(line.slice(at, end), end === line.length));
    return end;
  }

  #open(open: string, next: number): number {
    if (this.#stack.length >= MAX_DEPTH) throw new Error(`brackets nested deeper than ${MAX_DEPTH}`);
    this.#stack.push(frame(open));
    return next;
  }

  #close(bracket: string, next: number): number {
    const { open, items, before } = this.#top();
    if (CLOSING.get(open) !== bracket)
      throw new Error(`"${bracket}" where ${open === "" ? "nothing" : `"${open}"`} is open`);
    if (before.length > 0) throw new Error(`"${bracket}" where a value is expected`);
    const wasSequence = this.#isSequence() && this.#stack.length === 2;
    this.#stack.pop();
    if (!wasSequence) this.#value(open === "{" ? mapOf(items) : items);
    return next;
  }

  #begin(line: string, at: number): number {
    this.#text = [];
    return this.#string(line, at);
  }

  /** Continues a string from `at`. It may end on a later line. */
  #string(line: string, at: number): number {
    const text = this.#text!;
    for (let from = at; ;) {
      const end = after(PLAIN, line, from);
      text.push(line.slice(from, end));
      if (line[end] === "\\") {
        const [character, next] = unescaped(line, end);
        text.push(character);
        from = next;
        continue;
      }
      if (end === line.length) {
        text.push("\n");
        return end;
      }
      this.#text = undefined;
      this.#value(text.join(""));
      return end + 1;
    }
  }

  #character(line: string, at: number): number {
    const end = after(WORD, line, Math.min(at + 1, line.length));
    const name = line.slice(at, end);
    if (name.trim() === "") throw problem("a backslash without a character", at >= line.length);
    const code = /^u([0-9a-fA-F]{4})$/.exec(name)?.[1];
    this.#value(code === undefined ? (CHARACTERS.get(name) ?? name) : String.fromCharCode(Number.parseInt(code, 16)));
    return end;
  }

  #dispatch(line: string, at: number): number {
    const char = line[at];
    if (char === "{") return this.#open("#{", at + 1);
    if (char === '"') return this.#begin(line, at + 1);
    if (char === "_") {
      this.#top().before.push("discard");
      return at + 1;
    }
    const end = after(WORD, line, at);
    const name = line.slice(at, end);
    if (name === "") throw problem('"#" without a tag', end === line.length);
    if (!name.startsWith("#")) this.#top().before.push("tag");
    else {
      const number = SYMBOLIC.get(name.slice(1));
      if (number === undefined) throw problem(`no such value as #${brief(name)}`, end === line.length);
      this.#value(number);
    }
    return end;
  }

  #value(value: EdnValue): void {
    const { items, before } = this.#top();
    while (before.at(-1) === "tag") before.pop();
    const discarded = before.pop() === "discard";
    const isForm = this.#stack.length === (this.#isSequence() ? 2 : 1);
    if (!isForm) {
      if (!discarded) items.push(value);
      return;
    }
    this.#parts = 0;
    this.#length = 0;
    if (!discarded) this.#complete.push(value);
  }

  #top(): Frame {
    return this.#stack.at(-1)!;
  }

  #isSequence(): boolean {
    const open = this.#stack[1]?.open;
    return open === "[" || open === "(";
  }
}

function frame(open: string): Frame {
  return { open, items: [], before: [] };
}

/** Where `pattern`, which is sticky and matches anywhere, ends. */
function after(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(line) ? pattern.lastIndex : at;
}

/** The character that the escape at `at` stands for, and where it ends. */
function unescaped(line: string, at: number): readonly [character: string, next: number] {
  const char = line[at + 1] ?? "";
  if (char !== "u") {
    const character = ESCAPES.get(char);
    if (character === undefined) throw problem(`no such escape as "\\${char}"`, char === "");
    return [character, at + 2];
  }
  const code = line.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]{4}$/.test(code)) {
    throw problem(
      `no such escape as "\\u${code}"`,
      at + 2 + code.length === line.length && /^[0-9a-fA-F\uFFFD]*$/.test(code),
    );
  }
  return [String.fromCharCode(Number.parseInt(code, 16)), at + 6];
}

/** @param isAtEnd whether it may only be that the line is cut off */
function problem(message: string, isAtEnd: boolean): Error {
  return isAtEnd ? new EndsTooEarly(message) : new Error(message);
}

function atom(word: string, isAtEnd: boolean): EdnValue {
  if (word === "nil") return null;
  if (word === "true" || word === "false") return word === "true";
  if (word.startsWith(":")) return word.slice(1);
  if (!/^[-+]?\d/.test(word)) return word;
  if (/^[-+]?(?:0|[1-9]\d*)N?$/.test(word)) return integer(word.replace(/^\+|N$/g, ""));
  const ratio = /^([-+]?\d+)\/(\d+)$/.exec(word);
  const number = ratio === null ? Number(word.replace(/M$/, "")) : Number(ratio[1]) / Number(ratio[2]);
  if (Number.isNaN(number) || /^[-+]?0\d|\/0+$/.test(word)) throw problem(`"${brief(word)}" is no number`, isAtEnd);
  return number;
}

function integer(digits: string): number | bigint {
  const number = Number(digits);
  // The length keeps the cost of a big integer small.
  return Number.isSafeInteger(number) || digits.length > 1000 ? number : BigInt(digits);
}

function mapOf(items: readonly EdnValue[]): EdnMap {
  if (items.length % 2 === 1) throw new Error("a map with a key that has no value");
  const entries = items.flatMap((key, at) => (at % 2 === 0 ? [[keyText(key), items[at + 1] ?? null] as const] : []));
  const map = Object.fromEntries(entries);
  if (Object.keys(map).length < entries.length) {
    const [twice = ""] = entries.find(([key], at) => entries.findIndex(([other]) => other === key) < at) ?? [];
    throw new Error(`a map with two values of ${brief(twice)}`);
  }
  return map;
}

function keyText(key: EdnValue): string {
  if (typeof key === "string") return key;
  return JSON.stringify(key, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

function brief(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
