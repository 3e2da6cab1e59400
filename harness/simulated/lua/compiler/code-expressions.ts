import type { BinaryExpression, Expression, LogicalExpression, TableConstructorExpression } from "luaparse";
import type { FunctionParts, Generator } from "./code-generator.ts";
import { describeOperand } from "./names.ts";
import { parenthesised } from "./source-marks.ts";
import type { Site } from "../runtime.ts";

const ARITHMETIC: Readonly<Record<string, string>> = {
  "+": "__add",
  "-": "__sub",
  "*": "__mul",
  "/": "__div",
  "%": "__mod",
  "^": "__pow",
};

/** Code for the single value of an expression. */
export function oneValue(node: Expression, generator: Generator): string {
  switch (node.type) {
    case "NilLiteral":
      return "undefined";
    case "BooleanLiteral":
      return String(node.value);
    case "NumericLiteral":
      return numberCode(node.value);
    case "StringLiteral":
      return JSON.stringify(node.value);
    case "VarargLiteral":
      return "varargs[0]";
    case "FunctionDeclaration":
      return generator.functionCode(partsOf(node));
    case "Identifier":
      return generator.scope.find(node.name) ?? globalCode(node.name, generator, line(node));
    case "MemberExpression":
      return indexCode(node.base, JSON.stringify(node.identifier.name), line(node), generator);
    case "IndexExpression":
      return indexCode(node.base, oneValue(node.index, generator), line(node), generator);
    case "CallExpression":
    case "TableCallExpression":
    case "StringCallExpression": {
      const inner = parenthesised(node);
      return inner === undefined ? `${callCode(node, generator)}[0]` : oneValue(inner, generator);
    }
    case "UnaryExpression":
      return unaryCode(node.operator, node.argument, line(node), generator);
    case "BinaryExpression":
      return binaryCode(node, generator);
    case "LogicalExpression":
      return logicalCode(node, generator);
    case "TableConstructorExpression":
      return tableCode(node, generator);
    default:
      throw new Error(`no code for ${JSON.stringify(node)}`);
  }
}

/** Code for all values of a list of expressions, as an array: the last one may yield several. */
export function allValues(nodes: readonly Expression[], generator: Generator): string {
  const last = nodes.at(-1);
  if (last === undefined) return "nothing";
  const many = manyValues(last, generator);
  if (many === undefined) return `[${nodes.map((node) => oneValue(node, generator)).join(", ")}]`;
  if (nodes.length === 1) return many;
  return `[${nodes
    .slice(0, -1)
    .map((node) => oneValue(node, generator))
    .join(", ")}, ...${many}]`;
}

/** Code for a call: an array of its results. */
export function callCode(node: Expression, generator: Generator): string {
  const inner = parenthesised(node);
  if (inner !== undefined) return `[${oneValue(inner, generator)}]`;
  const { callee, args } = callParts(node);
  const given = allValues(args, generator);
  if (callee.type === "MemberExpression" && callee.indexer === ":") {
    const site = generator.site({ line: line(node), ...name("left", callee.base, generator) });
    return `runtime.method(${oneValue(callee.base, generator)}, ${JSON.stringify(callee.identifier.name)}, ${given}, ${site})`;
  }
  const site = generator.site({ line: line(node), ...name("left", callee, generator) });
  return `runtime.call(${oneValue(callee, generator)}, ${given}, ${site})`;
}

/** The line of a node, for errors. */
export function line(node: Expression): number {
  return node.loc?.start.line ?? 0;
}

/** A condition: true or false in JavaScript. */
export function condition(node: Expression, generator: Generator): string {
  if (node.type === "BinaryExpression" && /^([<>]=?|[=~]=)$/.test(node.operator)) return oneValue(node, generator);
  if (node.type === "UnaryExpression" && node.operator === "not") return oneValue(node, generator);
  return `truthy(${oneValue(node, generator)})`;
}

export function partsOf(node: Extract<Expression, { type: "FunctionDeclaration" }>): FunctionParts {
  return { parameters: node.parameters, body: node.body };
}

/** The name of an operand, as one field of a `Site`. */
export function name(field: "left" | "right", node: Expression, generator: Generator): Partial<Site> {
  const described = describeOperand(node, (identifier) => generator.scope.kindOf(identifier));
  return described === undefined ? {} : { [field]: described };
}

function manyValues(node: Expression, generator: Generator): string | undefined {
  if (node.type === "VarargLiteral") return "varargs";
  const isCall =
    node.type === "CallExpression" || node.type === "TableCallExpression" || node.type === "StringCallExpression";
  return isCall ? callCode(node, generator) : undefined;
}

function callParts(node: Expression): { callee: Expression; args: readonly Expression[] } {
  switch (node.type) {
    case "CallExpression":
      return { callee: node.base, args: node.arguments };
    case "TableCallExpression":
      return { callee: node.base, args: [node.arguments] };
    case "StringCallExpression":
      return { callee: node.base, args: [node.argument] };
    default:
      throw new Error(`${node.type} is no call`);
  }
}

function globalCode(identifier: string, generator: Generator, at: number): string {
  return `runtime.index(runtime.globals, ${JSON.stringify(identifier)}, ${generator.site({ line: at })})`;
}

function indexCode(base: Expression, key: string, at: number, generator: Generator): string {
  const site = generator.site({ line: at, ...name("left", base, generator) });
  return `runtime.index(${oneValue(base, generator)}, ${key}, ${site})`;
}

function unaryCode(operator: string, argument: Expression, at: number, generator: Generator): string {
  if (operator === "not") return `!${condition(argument, generator)}`;
  const site = generator.site({ line: at, ...name("left", argument, generator) });
  return `runtime.${operator === "#" ? "length" : "negate"}(${oneValue(argument, generator)}, ${site})`;
}

function binaryCode(node: BinaryExpression, generator: Generator): string {
  const left = oneValue(node.left, generator);
  const right = oneValue(node.right, generator);
  const site = (): string =>
    generator.site({
      line: line(node),
      ...name("left", node.left, generator),
      ...name("right", node.right, generator),
    });
  switch (node.operator) {
    case "==":
      return `runtime.equals(${left}, ${right})`;
    case "~=":
      return `!runtime.equals(${left}, ${right})`;
    case "<":
      return `runtime.less(${left}, ${right}, ${site()})`;
    case "<=":
      return `runtime.lessOrEqual(${left}, ${right}, ${site()})`;
    // Lua evaluates the operands in the order of the text, and then compares the other way round.
    case ">":
      return `runtime.greater(${left}, ${right}, ${site()})`;
    case ">=":
      return `runtime.greaterOrEqual(${left}, ${right}, ${site()})`;
    case "..":
      return `runtime.concat(${left}, ${right}, ${site()})`;
    default:
      return `runtime.arithmetic("${ARITHMETIC[node.operator]}", ${left}, ${right}, ${site()})`;
  }
}

function logicalCode(node: LogicalExpression, generator: Generator): string {
  const kept = generator.temporary();
  const left = `truthy(${kept} = ${oneValue(node.left, generator)})`;
  const right = oneValue(node.right, generator);
  return node.operator === "and" ? `(${left} ? ${right} : ${kept})` : `(${left} ? ${kept} : ${right})`;
}

/** How many listed values Lua stores at a time. */
const LOT = 50;

/**
 * A constructor asks for its sizes beforehand, stores entries with keys as they come, and listed values in batches of
 * 50: the order of `next` shows all of this.
 */
function tableCode(node: TableConstructorExpression, generator: Generator): string {
  const { fields } = node;
  const named = fields.filter((field) => field.type !== "TableValue").length;
  const last = fields.at(-1);
  const isOpen = last?.type === "TableValue" && parenthesised(last.value) === undefined;
  const many = isOpen ? manyValues(last.value, generator) : undefined;
  const listed = fields.length - named - (many === undefined ? 0 : 1);
  const table = `new LuaTable(${roundedSize(listed)}, ${roundedSize(named)})`;
  if (fields.length === 0) return "new LuaTable()";
  const site = generator.site({ line: line(node) });
  const steps: string[] = [];
  let [lot, stored]: [string[], number] = [[], 0];
  const store = (): void => {
    if (lot.length > 0) steps.push(`table.store(${stored}, [${lot.join(", ")}]);`);
    stored += lot.length;
    lot = [];
  };
  for (const field of fields) {
    if (field.type === "TableValue") {
      if (lot.length === LOT) store();
      if (field === last && many !== undefined) {
        lot.push(`...${many}`);
        continue;
      }
      const value = oneValue(field.value, generator);
      // Between entries with keys it is evaluated in place, although it is stored later.
      const kept = named === 0 ? undefined : generator.temporary();
      if (kept !== undefined) steps.push(`${kept} = ${value};`);
      lot.push(kept ?? value);
    } else {
      const key = field.type === "TableKeyString" ? JSON.stringify(field.key.name) : oneValue(field.key, generator);
      steps.push(`runtime.setIndex(table, ${key}, ${oneValue(field.value, generator)}, ${site});`);
    }
  }
  store();
  return `((table) => { ${steps.join(" ")} return table; })(${table})`;
}

/** The instruction contains sizes as a "floating point byte", which rounds those above 15 up. */
function roundedSize(size: number): number {
  let [mantissa, exponent] = [size, 0];
  while (mantissa >= 16) [mantissa, exponent] = [(mantissa + 1) >> 1, exponent + 1];
  return mantissa * 2 ** exponent;
}

function numberCode(value: number): string {
  return Number.isFinite(value) ? String(value) : "Infinity";
}
