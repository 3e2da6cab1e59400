import type { Expression } from "luaparse";
import { parse } from "luaparse";

/** The name under which a parenthesised expression reads as a call. No script can use it as a name of its own. */
const PARENTHESES = "__lockstorm_parentheses";

/** luaparse's kinds of tokens, as far as they matter here. */
const TOKEN = { endOfFile: 1, string: 2, name: 8, punctuator: 32 } as const;

/**
 * Parentheses cut a list of values down to one, but luaparse does not report them. This writes a name before each that
 * begins an expression (`return (f())`), which makes it a call to be recognised; those that call something
 * (`f(x)`) or declare parameters stay. Lines stay as they are.
 */
export function markParentheses(source: string): string {
  const places = beginningsOf(source);
  let result = "";
  let from = 0;
  for (const place of places) {
    result += `${source.slice(from, place)} ${PARENTHESES}`;
    from = place;
  }
  return result + source.slice(from);
}

function beginningsOf(source: string): readonly number[] {
  const lexer = parse(source, { wait: true, luaVersion: "5.1", encodingMode: "pseudo-latin1" });
  const places: number[] = [];
  let calls = false;
  let parameters = false;
  try {
    for (;;) {
      const { type, value, range } = lexer.lex();
      if (type === TOKEN.endOfFile) return places;
      if (value === "(" && type === TOKEN.punctuator && !calls && !parameters) places.push(range[0]);
      parameters = value === "function" && type !== TOKEN.string;
      calls =
        type === TOKEN.string ||
        type === TOKEN.name ||
        (type === TOKEN.punctuator && (value === ")" || value === "]" || value === "}"));
    }
  } catch {
    // The parser meets the same problem, and explains it.
    return places;
  }
}

/** What stands in the parentheses that `markParentheses` has marked; undefined for anything else. */
export function parenthesised(node: Expression): Expression | undefined {
  if (node.type !== "CallExpression" || node.base.type !== "Identifier") return undefined;
  return node.base.name === PARENTHESES ? node.arguments[0] : undefined;
}
