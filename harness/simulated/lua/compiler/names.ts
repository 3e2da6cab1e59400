import type { Expression } from "luaparse";
import { parenthesised } from "./source-marks.ts";

/** Lua's name for an operand in an error message: "local 'x'", "field 'y'"; undefined for a value without a name. */
export function describeOperand(
  node: Expression,
  kindOf: (name: string) => "local" | "upvalue" | "global",
): string | undefined {
  const inner = parenthesised(node);
  if (inner !== undefined) return isOpen(inner) ? undefined : describeOperand(inner, kindOf);
  switch (node.type) {
    case "Identifier":
      return `${kindOf(node.name)} '${node.name}'`;
    case "MemberExpression":
      return `${node.indexer === ":" ? "method" : "field"} '${node.identifier.name}'`;
    case "IndexExpression":
      return node.index.type === "StringLiteral" ? `field '${node.index.value}'` : "field '?'";
    default:
      return undefined;
  }
}

/** Calls and `...`, whose values have no name even in parentheses. */
function isOpen(node: Expression): boolean {
  return node.type === "VarargLiteral" || node.type.endsWith("CallExpression");
}
