import { inFigures } from "./words/in-figures.ts";

/**
 * Text from outside (a plan, a history, a driver, the environment, a file name) is hostile when it is printed: it may
 * move the cursor, reorder or hide text, begin a line of its own, or give commands to the CI that reads the log.
 */

/**
 * The longest message and the longest word, in characters: an owner value of 10 MB is cut to its beginning, its end and
 * its length.
 */
const LONGEST_TEXT = 6_000;
const LONGEST_WORD = 600;
const KEPT_OF_A_WORD = 60;
const BLANK = /\s/g;

/**
 * Characters that are invisible, or that act: control characters, line and paragraph separators, bidirectional
 * overrides, zero-width and other format characters, halves of surrogate pairs, noncharacters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;
/** Anything but the visible characters of ASCII and the blank. */
const BEYOND_PLAIN = /[^ -~]/;
/** The same as `UNSEEN`, except line feeds and tabs, which a text of several lines needs. */
const UNSEEN_IN_LINES =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;
/** `##[error]`, `##vso[task.complete]`, `##teamcity[..]`: commands to a CI anywhere in a line. */
const COMMAND_ANYWHERE = /##(?=\w*\[)/g;
/** `::error::`, `::add-mask::`: commands to GitHub at the start of a line, blanks aside. */
const COMMAND_AT_LINE_START = /^([^\S\n]*:)(?=:[a-z][^\n]*::)/gim;
const REPLACEMENT = "\u{fffd}";

/** Foreign text for a place within a line: one line, no invisible characters, no command to a CI, and shortened. */
export function printable(text: string): string {
  return withoutUnseen(shortened(text));
}

/** The same without shortening, for text assembled from foreign parts. */
export function withoutUnseen(text: string): string {
  // Nearly all text is plain, which is seen much faster than that no character has one of those properties.
  const seen = BEYOND_PLAIN.test(text) ? text.replaceAll(UNSEEN, REPLACEMENT) : text;
  return seen.replaceAll(COMMAND_ANYWHERE, `##${REPLACEMENT}`);
}

/** Whole lines: line feeds and tabs stay, and no line begins with a command to a CI. */
export function printableLines(text: string): string {
  return withoutCommands(text.replaceAll(UNSEEN_IN_LINES, REPLACEMENT));
}

/** Lines without commands to a CI, otherwise unchanged: for text that is already formatted. */
export function withoutCommands(text: string): string {
  return text.replaceAll(COMMAND_ANYWHERE, `##${REPLACEMENT}`).replaceAll(COMMAND_AT_LINE_START, `$1${REPLACEMENT}`);
}

/**
 * A value as JSON on several lines, with a line feed at the end. Nothing is lost: a character that must not be printed
 * is escaped.
 */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? "null";
  return `${text.replaceAll(UNSEEN_IN_LINES, escaped).replaceAll(COMMAND_ANYWHERE, String.raw`\u0023\u0023`)}\n`;
}

/** A character as a JSON escape; beyond 16 bits, both halves of the surrogate pair. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}

function shortened(text: string): string {
  if (text.length <= LONGEST_WORD) return text;
  const parts: string[] = [];
  let length = 0;
  // Word by word: a regular expression for a whole long word runs out of stack.
  for (let from = 0; from < text.length && length <= LONGEST_TEXT;) {
    BLANK.lastIndex = from;
    const to = BLANK.test(text) ? BLANK.lastIndex : text.length;
    const word = to - from <= LONGEST_WORD ? text.slice(from, to) : cut(text.slice(from, to), KEPT_OF_A_WORD);
    parts.push(word);
    length += word.length;
    from = to;
  }
  return length <= LONGEST_TEXT ? parts.join("") : cut(text, LONGEST_TEXT / 2);
}

/** The beginning and the end of a text, and how long it was. */
function cut(text: string, kept: number): string {
  const half = Math.floor(kept / 2);
  return `${text.slice(0, half)}… (${inFigures(text.length)} characters) …${text.slice(-half)}`;
}
