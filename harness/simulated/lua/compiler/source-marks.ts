import type { Expression, Node } from "luaparse";
import { parse } from "luaparse";

/** The name that makes a parenthesised expression read as a call. No script can use it as a name of its own. */
const PARENTHESES = "__lockstorm_parentheses";

/** The prefix of every string for the parser: nothing else in Lua begins with it. */
const STRING = "$";

/** luaparse's kinds of tokens, as far as they matter here. */
const TOKEN = { endOfFile: 1, string: 2, keyword: 4, name: 8, punctuator: 32 } as const;

interface Mark {
  readonly at: number;
  readonly text: string;
  /** How many characters it replaces. */
  readonly replaces?: number;
}

/**
 * Marks in a script what luaparse would otherwise miss; line numbers stay the same.
 * - Parentheses cut a list of values down to one, but luaparse does not report them. A name before each that begins an
 *   expression (`return (f())`) turns them into a recognisable call; parentheses that call something (`f(x)`) or
 *   declare parameters stay.
 * - luaparse mostly compares the text of tokens and not their kind: it takes the string in `return 'end'` for the end
 *   of a block, and the one in `{'}'}` for the end of a table. A letter before each string makes it unlike any token.
 * - luaparse takes a semicolon after a statement, but not after `break` in Lua 5.1: a space stands for it.
 */
export function markSource(source: string): string {
  let result = "";
  let from = 0;
  for (const { at, text, replaces = 0 } of marksOf(source)) {
    result += source.slice(from, at) + text;
    from = at + replaces;
  }
  return result + source.slice(from);
}

function marksOf(source: string): readonly Mark[] {
  const lexer = parse(source, { wait: true, luaVersion: "5.1", encodingMode: "pseudo-latin1" });
  const marks: Mark[] = [];
  let calls = false;
  let parameters = false;
  let breaks = false;
  try {
    for (;;) {
      const { type, value, range } = lexer.lex();
      if (type === TOKEN.endOfFile) return marks;
      if (type === TOKEN.string) marks.push({ at: range[0] + openingOf(source.slice(...range)), text: STRING });
      if (value === "(" && type === TOKEN.punctuator && !calls && !parameters) {
        marks.push({ at: range[0], text: ` ${PARENTHESES}` });
      }
      if (value === ";" && type === TOKEN.punctuator && breaks) marks.push({ at: range[0], text: " ", replaces: 1 });
      breaks = value === "break" && type === TOKEN.keyword;
      parameters = value === "function" && type !== TOKEN.string;
      calls =
        type === TOKEN.string ||
        type === TOKEN.name ||
        (type === TOKEN.punctuator && (value === ")" || value === "]" || value === "}"));
    }
  } catch {
    // The parser meets the same problem, and explains it.
    return marks;
  }
}

/** How many characters precede the content of a string: a quote, or brackets and the end of their line. */
function openingOf(literal: string): number {
  return /^\[=*\[(?:\r\n|\n\r|\r|\n)?/.exec(literal)?.[0].length ?? 1;
}

/** Call it with each node of a marked script: strings then have their original content again. */
export function unmarkString(node: Node): void {
  if (node.type === "StringLiteral") node.value = node.value.slice(STRING.length);
}

/** The parser's message about a marked script, as if the script had not been marked. */
export function withoutMarks(message: string): string {
  return message.replaceAll(PARENTHESES, "(").replaceAll(/(?<=["'[\n])\$/g, "");
}

/** The content of parentheses that `markSource` has marked; undefined for anything else. */
export function parenthesised(node: Expression): Expression | undefined {
  if (node.type !== "CallExpression" || node.base.type !== "Identifier") return undefined;
  return node.base.name === PARENTHESES ? node.arguments[0] : undefined;
}
