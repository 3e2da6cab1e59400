import { styleText } from "node:util";
import { printableLines, withoutCommands, withoutUnseen } from "../harness/core/printable.ts";

/** The layout and style of a terminal report. */
export interface TextOptions {
  /** Colours and weights as ANSI escapes. The caller knows whether there is a terminal, and whether NO_COLOR is set. */
  readonly color: boolean;
  /** Columns of the terminal. Less than 60 counts as 60, more than 140 as 140. */
  readonly width: number;
  /** Draw with box characters; false leaves plain ASCII. Default true. */
  readonly unicode?: boolean;
}

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "magenta";

/** A string of one style. */
export interface Span {
  readonly text: string;
  readonly style?: Style | readonly Style[] | undefined;
}

/**
 * Lays out and styles text for one terminal. Invisible characters are removed from foreign text: see `printable`, which
 * also shortens it.
 */
export class TextStyle {
  readonly width: number;
  readonly unicode: boolean;
  readonly #color: boolean;

  constructor({ color, width, unicode = true }: TextOptions) {
    this.#color = color;
    this.width = Math.max(60, Math.min(140, Number.isFinite(width) ? Math.floor(width) : 80));
    this.unicode = unicode;
  }

  /** Styles a string; returns it as it is where colours are off or no style is given. */
  paint(words: string, style?: Span["style"]): string {
    // The boundary: all text of a report passes here, and only our own escapes are added afterwards.
    const text = withoutUnseen(words);
    if (!this.#color || style === undefined || text === "") return text;
    return styleText(typeof style === "string" ? style : [...style], text, { validateStream: false });
  }

  /** Spans one after another; trailing spaces are dropped. */
  line(...spans: readonly Span[]): string {
    const texts = spans.map(({ text }) => text);
    for (let last = texts.length - 1; last >= 0; last -= 1) {
      texts[last] = texts[last]?.trimEnd() ?? "";
      if (texts[last] !== "") break;
    }
    return withoutCommands(spans.map(({ style }, index) => this.paint(texts[index] ?? "", style)).join(""));
  }

  /**
   * A paragraph broken at words to lines of the terminal's width, at most 100 columns, all with the same indentation.
   */
  paragraph(text: string, indent = 0): readonly string[] {
    return wrap(withoutUnseen(text), Math.min(100, this.width) - indent).map((line) => " ".repeat(indent) + line);
  }

  /** A paragraph with a hanging indentation behind a label: `label  first line`, further lines under the first. */
  hanging(label: Span, text: string, indent: number): readonly string[] {
    const [first = "", ...rest] = wrap(text, Math.min(110, this.width) - indent);
    const head = this.line({ ...label, text: label.text.padEnd(indent) }, { text: first });
    return [first === "" ? head.trimEnd() : head, ...rest.map((line) => " ".repeat(indent) + line)];
  }
}

/**
 * Breaks a text at spaces into lines of at most `width`; a longer word is broken where necessary. A command at the end is
 * not broken, since it is to be copied: it gets a line of its own where it does not fit, however long it is.
 */
export function wrap(text: string, width: number): readonly string[] {
  const command = commandAtTheEnd(text);
  const words = text.slice(0, text.length - command.length).split(/[ \n]+/);
  const parts = [...words.flatMap((word) => pieces(word, width)), ...(command === "" ? [] : [command])];
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    if (line !== "" && line.length + 1 + part.length > width) {
      lines.push(line);
      line = part;
    } else line = line === "" ? part : `${line} ${part}`;
  }
  if (line !== "") lines.push(line);
  // A line break can put foreign text at the beginning of a line.
  return lines.map(printableLines);
}

/** `npx lockstorm ...` up to the end of a text, unless a sentence or a list goes on or ends there. Else empty. */
function commandAtTheEnd(text: string): string {
  const at = text.lastIndexOf("npx lockstorm ");
  if (at < 0 || /^\S/.test(text.slice(Math.max(0, at - 1), at))) return "";
  const command = text.slice(at);
  return /[;,.](?:\s|$)|\n/.test(command) ? "" : command;
}

function pieces(word: string, width: number): readonly string[] {
  return Array.from({ length: Math.ceil(word.length / width) }, (_, index) =>
    word.slice(index * width, (index + 1) * width),
  );
}

/** Characters of pictures. */
export interface Glyphs {
  readonly lease: string;
  readonly overrun: string;
  readonly attempt: string;
  readonly refusedTry: string;
  readonly fault: string;
  readonly promotion: string;
  readonly node: string;
  /** A server thinks that a client holds. */
  readonly believed: string;
  /** The same, given while an earlier client's lease was in force. */
  readonly givenTwice: string;
  readonly accepted: string;
  readonly refused: string;
  readonly overlap: string;
  readonly cut: string;
  readonly axis: string;
  readonly tick: string;
  readonly rule: string;
  readonly good: string;
  readonly bad: string;
}

const UNICODE: Glyphs = {
  lease: "█",
  overrun: "▒",
  attempt: "╌",
  refusedTry: "·",
  fault: "╳",
  promotion: "◆",
  node: "─",
  believed: "░",
  givenTwice: "▓",
  accepted: "●",
  refused: "○",
  overlap: "▲",
  cut: "┊",
  axis: "─",
  tick: "┬",
  rule: "━",
  good: "✓",
  bad: "✗",
};

const ASCII: Glyphs = {
  lease: "#",
  overrun: "+",
  attempt: "-",
  refusedTry: ".",
  fault: "x",
  promotion: "P",
  node: "_",
  believed: "~",
  givenTwice: "!",
  accepted: "w",
  refused: "r",
  overlap: "^",
  cut: ":",
  axis: "-",
  tick: "|",
  rule: "=",
  good: "+",
  bad: "x",
};

export function glyphs(unicode: boolean): Glyphs {
  return unicode ? UNICODE : ASCII;
}
