import { posix } from "node:path";
import { isTest } from "./layer-rule.ts";
import { importsOf, isNode, lineAt, nodesOf, parse, type SourceFile, type SyntaxNode } from "./source-file.ts";

const MOST_LINES = 400;

/** Files that are too long to be about one thing. */
export function longFiles(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split("\n").length;
    return lines > MOST_LINES ? [`${path}: ${lines} lines, more than ${MOST_LINES}`] : [];
  });
}

/** The first line of a file all of whose tests are long. */
export const LONG_TAG = "// @module-tag long";
/** As the test runner finds it, anywhere in a file. */
const ANY_TAG = /(?:\/\/|\*)\s*@module-tag\s/;

/**
 * Files whose name says that all their tests are long, but which do not tell the test runner so: it would never run them. And files
 * that tell it so, by a text in a test, and whose name does not say it: `npm test` would leave them out.
 */
export function mistaggedFiles(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    if (!path.endsWith(".test.ts")) return [];
    const isLong = /\.long\.(?:containers\.)?test\.ts$/.test(path);
    if (isLong && !text.startsWith(`${LONG_TAG}\n`)) return [`${path}: its first line is not "${LONG_TAG}"`];
    return !isLong && ANY_TAG.test(text) ? [`${path}: it contains a tag of all its tests, and is not called long`] : [];
  });
}

/** Files whose name says that their tests need a container engine, but which are not skipped where there is none. */
export function unguardedContainerTests(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => path.endsWith(".containers.test.ts") && !/\bdescribeWithEngine\b/.test(text))
    .map(({ path }) => `${path}: its tests are not in describeWithEngine`);
}

/** Files and folders whose name does not describe their content. */
export function namelessFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.split("/").some((part) => /^utils?(\.|$)/i.test(part)))
    .map(({ path }) => `${path}: "utils" names nothing`);
}

/**
 * Files that only pass on the exports of others, except the package's own `index.ts`. A file that passes on one name of
 * one other file, under another name, is an alias and no barrel.
 */
export function barrels(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path !== "index.ts")
    .filter((file) => {
      const { body } = parse(file);
      const passesOnly = body.every(
        (statement) =>
          statement.type === "ImportDeclaration" ||
          statement.type === "ExportAllDeclaration" ||
          (statement.type === "ExportNamedDeclaration" && statement.declaration === null),
      );
      const exporting = body.filter(({ type }) => type !== "ImportDeclaration");
      const [first] = exporting;
      const isAlias =
        exporting.length === 1 && first?.type === "ExportNamedDeclaration" && first.specifiers.length === 1;
      return passesOnly && exporting.length > 0 && !isAlias;
    })
    .map(({ path }) => `${path}: only passes on what others export`);
}

const TEST_FUNCTIONS = new Set(["test", "it", "describe", "suite", "bench"]);

/** Tests that are skipped, that skip others, or that may fail at first. */
export function laxTests(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    nodesOf(parse(file)).flatMap((node) => {
      const lax = laxity(node, file.path);
      return lax === undefined ? [] : [`${file.path}:${lineAt(file, node.start)}: ${lax}`];
    }),
  );
}

function laxity(node: SyntaxNode, path: string): string | undefined {
  if (node.type === "MemberExpression" && isNode(node["property"]) && TEST_FUNCTIONS.has(rootName(node) ?? "")) {
    const name = node["property"]["name"];
    if (name === "only") return "leaves all other tests out";
    if (name === "skip") return "leaves a test out";
  }
  const configures = path.endsWith(".config.ts");
  if (node.type === "CallExpression" && (configures || TEST_FUNCTIONS.has(rootName(node) ?? ""))) {
    const options = (node["arguments"] as readonly SyntaxNode[]).filter(({ type }) => type === "ObjectExpression");
    const keys = configures ? nodesOf(options) : options.flatMap(({ properties }) => properties as SyntaxNode[]);
    if (keys.some(({ type, key }) => type === "Property" && isNode(key) && key["name"] === "retry")) {
      return "retries a test that failed";
    }
  }
  return undefined;
}

/** `test` of `test.each(..)(..)`. */
function rootName(node: unknown): string | undefined {
  let root = node;
  while (isNode(root) && root.type !== "Identifier") root = root["object"] ?? root["callee"] ?? root["tag"];
  return isNode(root) ? String(root["name"]) : undefined;
}

/** Faults and scenarios that no registry lists: they would never run. */
export function unregistered(files: readonly SourceFile[]): string[] {
  return [
    ...missing(
      files,
      "faults/registry.ts",
      ({ path, text }) => /^faults\/[^/]+$/.test(path) && /= defineFault\(/.test(text),
    ),
    ...missing(
      files,
      "workloads/catalogue.ts",
      ({ path, text }) => path.startsWith("workloads/catalogue/") && /: Scenario =/.test(text),
    ),
  ];
}

function missing(files: readonly SourceFile[], registry: string, listed: (file: SourceFile) => boolean): string[] {
  const found = files.find(({ path }) => path === registry);
  const imported = (found === undefined ? [] : importsOf(found)).map(({ specifier = "" }) =>
    posix.join(posix.dirname(registry), specifier),
  );
  return files
    .filter((file) => !isTest(file.path) && listed(file) && !imported.includes(file.path))
    .map(({ path }) => `${path}: is not in ${registry}`);
}

/**
 * Words about how the project was made instead of what it is. They are in pieces, so that this file has none of them.
 */
const FOREIGN = [
  ["\\bag", "ents?\\b"],
  ["\\.\\./sha", "red\\b"],
  ["/wo", "rk/"],
].map((pieces) => new RegExp(pieces.join(""), "i"));

/** Lines with such words. */
export function foreignWords(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const found = FOREIGN.map((word) => word.exec(line)?.[0]).find((word) => word !== undefined);
      return found === undefined ? [] : [`${path}:${index + 1}: says "${found}"`];
    }),
  );
}

const KEPT = /^(export )?(let |const \w+(: [^=]+)? = new (Map|Set)(<.*>)?\(\);$)/;

/**
 * Where a lock keeps something from one run to the next, so that the same plan may take another course. What a lock remembers
 * belongs to a connection or to a client.
 */
export function keptOverRuns(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith("lock-impl/") && !path.includes("/testing/") && !isTest(path))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => (KEPT.test(line) ? [`${path}:${index + 1}: outlives the run`] : [])),
    );
}
