import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync, type Program } from "oxc-parser";

/** A source file of the project; `path` is relative to its root, with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A file that one file refers to. */
export interface Import {
  readonly line: number;
  /** As it is written; undefined for a dynamic import whose argument is not a literal. */
  readonly specifier: string | undefined;
  /** Whether the file is loaded before this one runs: false for imports of types and for dynamic imports. */
  readonly whenLoaded: boolean;
}

/** A node of a syntax tree. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [property: string]: unknown;
}

const SKIPPED = new Set(["node_modules", "dist", "coverage"]);

/** Every file below these folders whose name has one of these endings, except hidden or generated files. */
export function readSources(root: string, folders: readonly string[], endings: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
      .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)))
      .filter((path) => !path.split("/").some((part) => SKIPPED.has(part) || part.startsWith(".")))
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  );
}

const parsed = new WeakMap<SourceFile, Program>();

/**
 * The syntax tree of a TypeScript file, parsed once.
 * @throws when it cannot be parsed
 */
export function parse(file: SourceFile): Program {
  const { path, text } = file;
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  parsed.set(file, program);
  return program;
}

/** Every node of a tree, parents first. */
export function nodesOf(root: unknown): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const left = [root];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    if (isNode(next)) nodes.push(next);
    left.push(...Object.values(next).toReversed());
  }
  return nodes;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

const IMPORTING = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
  "TSExternalModuleReference",
]);

/** Everything that a file imports: statically, dynamically, for its types only, or re-exported. */
export function importsOf(file: SourceFile): Import[] {
  const imports: Import[] = [];
  for (const node of nodesOf(parse(file))) {
    const source = IMPORTING.has(node.type) ? (node["source"] ?? node["expression"]) : required(node);
    if (!isNode(source)) continue;
    imports.push({ line: lineAt(file, node.start), specifier: literal(source), whenLoaded: isWhenLoaded(node) });
  }
  return imports;
}

/** `import { type X }` counts at run time: `import {}` is left of it. */
function isWhenLoaded({ type, importKind, exportKind }: SyntaxNode): boolean {
  return type !== "TSImportType" && type !== "ImportExpression" && importKind !== "type" && exportKind !== "type";
}

/** The argument of `require(..)`. */
function required(node: SyntaxNode): unknown {
  if (node.type !== "CallExpression" || !isNode(node["callee"]) || node["callee"]["name"] !== "require")
    return undefined;
  return Array.isArray(node["arguments"]) ? node["arguments"][0] : undefined;
}

function literal(node: SyntaxNode): string | undefined {
  return typeof node["value"] === "string" ? node["value"] : undefined;
}

/** The line of a position, from 1. */
export function lineAt({ text }: SourceFile, position: number): number {
  return text.slice(0, position).split("\n").length;
}
