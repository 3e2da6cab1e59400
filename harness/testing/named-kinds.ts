import { CAUSES } from "../core/verdict.ts";
import { isNode, lineAt, nodesOf, parse, type SourceFile, type SyntaxNode } from "./source-file.ts";

const CAUSE_NAMES: ReadonlySet<unknown> = new Set(CAUSES);

/**
 * Places where files name one of these kinds of faults, or compare with a part of such names, one line each. Some causes
 * have the name of a fault: such a name counts where it is listed, or compared with anything but a cause.
 */
export function namedFaults(files: readonly SourceFile[], kinds: ReadonlySet<string>): string[] {
  return files.flatMap((file) =>
    nodesOf(parse(file)).flatMap((node) =>
      [...literalsIn(node), ...keysOfTable(node, kinds), ...partsIn(node, kinds)]
        .filter(
          ({ value, listed, part }) =>
            typeof value === "string" && (part === true || kinds.has(value)) && (listed || !CAUSE_NAMES.has(value)),
        )
        .map(({ value, start }) => `${file.path}:${lineAt(file, start)}: names ${String(value)}`),
    ),
  );
}

interface FoundLiteral {
  readonly value: unknown;
  readonly start: number;
  /** Whether it stands in a comparison, a case or a list. */
  readonly listed: boolean;
  /** Whether it is only a part of names. */
  readonly part?: true;
}

/** The keys of a table with several kinds for keys, or with one in quotes: no method is called like that. */
function keysOfTable({ type, properties }: SyntaxNode, kinds: ReadonlySet<string>): readonly FoundLiteral[] {
  if (type !== "ObjectExpression") return [];
  const keys = nodeList(properties).flatMap((property) => {
    const { key, computed } = property;
    if (computed === true || !isNode(key) || !kinds.has(String(keyOf(property)))) return [];
    return [{ value: keyOf(property), start: key.start, listed: false, quoted: key.type === "Literal" }];
  });
  return keys.length > 1 || keys.some(({ quoted }) => quoted) ? keys : [];
}

/** The argument of `startsWith` or `endsWith`, where it is a word with which names of these kinds begin or end. */
function partsIn({ type, callee, arguments: given }: SyntaxNode, kinds: ReadonlySet<string>): readonly FoundLiteral[] {
  if (type !== "CallExpression" || !isNode(callee) || !isNode(callee["property"])) return [];
  const method = callee["property"]["name"];
  const [argument] = nodeList(given);
  const value = argument?.["value"];
  if ((method !== "startsWith" && method !== "endsWith") || argument === undefined || typeof value !== "string") {
    return [];
  }
  const word = value.replaceAll("-", "");
  const isPart = [...kinds].some((kind) => kind[method](value) && kind.split("-").includes(word));
  return isPart ? [{ value, start: argument.start, listed: true, part: true }] : [];
}

/** The literals directly within a node. */
function literalsIn(node: SyntaxNode): readonly FoundLiteral[] {
  const listed = ["BinaryExpression", "SwitchCase", "ArrayExpression"].includes(node.type) && !isAboutCause(node);
  if (node.type === "TemplateLiteral") return templateIn(node);
  return Object.entries(node)
    .filter(([name]) => name !== "key" || node["computed"] === true)
    .flatMap(([, child]) => (Array.isArray(child) ? (child as unknown[]) : [child]))
    .filter(isNode)
    .filter(({ type }) => type === "Literal")
    .map(({ value, start }: SyntaxNode) => ({ value: value, start, listed }));
}

/** A template without expressions is a literal too. */
function templateIn({ start, expressions, quasis }: SyntaxNode): readonly FoundLiteral[] {
  if (nodeList(expressions).length > 0) return [];
  return nodeList(quasis).map(({ value }) => ({
    value: (value as { readonly cooked?: unknown }).cooked,
    start,
    listed: true,
  }));
}

function isAboutCause({ left, right }: SyntaxNode): boolean {
  return [left, right].some(
    (side) =>
      isNode(side) && (side["name"] === "cause" || (isNode(side["property"]) && side["property"]["name"] === "cause")),
  );
}

/**
 * Places where files decide by the name of a topology, one line each: by a comparison, by a case, by a table or a list
 * of several names, or by asking whether a list of one includes it. The kind of the servers that a driver was given
 * (`servers.kind`) and a node's role do not count.
 */
export function decisionsByTopology(files: readonly SourceFile[], kinds: ReadonlySet<string>): string[] {
  const namesOne = (node: unknown): boolean => isNode(node) && node.type === "Literal" && isIn(node["value"]);
  const isIn = (value: unknown): boolean => typeof value === "string" && kinds.has(value);
  const decides = ({ type, left, right, test, properties, elements, callee }: SyntaxNode): boolean => {
    if (type === "SwitchCase") return namesOne(test);
    if (type === "BinaryExpression")
      return (namesOne(left) && !isAnother(right)) || (namesOne(right) && !isAnother(left));
    if (type === "CallExpression") return isMembership(callee) && namesOne(elementsOf(callee)[0]);
    if (type === "ObjectExpression") return nodeList(properties).filter((each) => isIn(keyOf(each))).length > 1;
    return type === "ArrayExpression" && nodeList(elements).filter(namesOne).length > 1;
  };
  return files.flatMap((file) =>
    nodesOf(parse(file))
      .filter(decides)
      .map(({ start }) => `${file.path}:${lineAt(file, start)}: decides by the name of a topology`),
  );
}

/** Whether a function is `includes` of a list that is written out. */
function isMembership(callee: unknown): boolean {
  return isNode(callee) && isNode(callee["property"]) && callee["property"]["name"] === "includes";
}

/** The elements of the list of which this is a method. */
function elementsOf(callee: unknown): readonly SyntaxNode[] {
  return isNode(callee) && isNode(callee["object"]) ? nodeList(callee["object"]["elements"]) : [];
}

function nodeList(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function keyOf({ key }: SyntaxNode): unknown {
  return isNode(key) ? (key["name"] ?? key["value"]) : undefined;
}

/** Whether it is a node's role, or the kind of the servers that a driver was given. */
function isAnother(side: unknown): boolean {
  if (!isNode(side)) return false;
  const { name, object, property } = side;
  if (name === "role" || (isNode(property) && property["name"] === "role")) return true;
  return isNode(object) && object["name"] === "servers";
}
