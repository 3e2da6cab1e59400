import { posix } from "node:path";
import { importsOf, isNode, lineAt, nodesOf, parse, type SourceFile, type SyntaxNode } from "./source-file.ts";

/** Which rooms, or single files, a room may import beside itself. The layer rule of ARCHITECTURE.md. */
export const ROOMS: Readonly<Record<string, readonly string[] | "everything">> = {
  "harness/core": [],
  "harness/check": ["harness/core"],
  "harness/run": ["harness/core", "harness/check", "workloads", "faults"],
  "harness/client": ["harness/core", "lock-impl"],
  "harness/simulated": ["harness/core", "harness/client", "lock-impl/driver.ts"],
  "harness/containers": ["harness/core", "lock-impl/driver.ts", "docker"],
  "harness/cli": "everything",
  "harness/verify": "everything",
  "lock-impl": [],
  workloads: ["harness/core"],
  faults: ["harness/core"],
  reports: ["harness/core", "harness/check"],
  docker: [],
};

/** The files that import what their user names or writes. */
const LOADERS = ["harness/client/load-driver.ts", "harness/cli/config-file.ts"];

/** Where a process may be ended: the composition root, and programs of their own. */
const MAY_EXIT = ["harness/cli", "harness/client/worker.ts", "harness/containers/watchdog-process.ts"];

/** Folders of what only tests and benchmarks use. */
const FOR_TESTS = ["testing", "testdata", "bench"];

/** True for tests, benchmarks, and what only they use: nothing of the product may import it. */
export function isTest(path: string): boolean {
  return /\.(test|bench)\.ts$/.test(path) || path.split("/").some((part) => FOR_TESTS.includes(part));
}

/** What breaks the layer rule, a line each. */
export function layerViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (isTest(file.path) || !file.path.includes("/")) return [];
    const room = roomOf(file.path);
    if (room === undefined) return [`${file.path}: stands in no room of the table`];
    const allowed = ROOMS[room] ?? [];
    return importsOf(file).flatMap(({ line, specifier }) => {
      const place = `${file.path}:${line}`;
      if (specifier === undefined) {
        return LOADERS.includes(file.path) ? [] : [`${place}: imports what no reader can name`];
      }
      if (!specifier.startsWith(".")) return [];
      const target = posix.join(posix.dirname(file.path), specifier);
      if (isTest(target)) return [`${place}: imports ${target}, which is for tests`];
      if (allowed === "everything" || [room, ...allowed].some((entry) => isWithin(target, entry))) return [];
      return [`${place}: ${room} may not import ${target}`];
    });
  });
}

/** Calls of `process.exit` where a process may not be ended, a line each. */
export function exitViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTest(path) && !MAY_EXIT.some((entry) => isWithin(path, entry)))
    .flatMap((file) =>
      nodesOf(parse(file))
        .filter((node) => isExitCall(node) || importsExit(node))
        .map((node) => `${file.path}:${lineAt(file, node.start)}: may not end the process`),
    );
}

function isExitCall({ type, callee }: SyntaxNode): boolean {
  if (type !== "CallExpression" || !isNode(callee) || !isNode(callee["object"]) || !isNode(callee["property"])) {
    return false;
  }
  return callee["object"]["name"] === "process" && callee["property"]["name"] === "exit";
}

function importsExit({ type, source, specifiers }: SyntaxNode): boolean {
  if (type !== "ImportDeclaration" || !isNode(source) || source["value"] !== "node:process") return false;
  return nodesOf(specifiers).some(({ imported }) => isNode(imported) && imported["name"] === "exit");
}

function roomOf(path: string): string | undefined {
  return Object.keys(ROOMS).find((room) => isWithin(path, room));
}

function isWithin(path: string, entry: string): boolean {
  return path === entry || path.startsWith(`${entry}/`);
}
