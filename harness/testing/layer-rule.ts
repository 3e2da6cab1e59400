import { posix } from "node:path";
import { importsOf, isNode, lineAt, nodesOf, parse, type SourceFile, type SyntaxNode } from "./source-file.ts";

/**
 * The traits of all faults, by kind. A fault states them in its own file, and code that judges or draws a history asks
 * here: it reads facts about a fault, never how the fault is injected.
 */
const TRAITS = "faults/traits.ts";

/** The rooms, or single files, that a room may import besides itself. The layer rule of ARCHITECTURE.md. */
export const ROOMS: Readonly<Record<string, readonly string[] | "everything">> = {
  "harness/core": [],
  "harness/history": ["harness/core", TRAITS],
  "harness/check": ["harness/core", "harness/history", TRAITS],
  "harness/run": ["harness/core", "harness/history", "harness/check", "workloads", "faults"],
  "harness/proof": ["harness/core", "harness/history", "harness/check", "harness/client/altered-driver.ts"],
  "harness/external": ["harness/core", "harness/containers/cleanup/marked-processes.ts", "lock-impl"],
  "harness/client": ["harness/core", "harness/external", "lock-impl"],
  "harness/simulated": ["harness/core", "harness/client"],
  "harness/containers": ["harness/core", "docker"],
  "harness/live": ["harness/core", "harness/client", "harness/simulated", "harness/containers"],
  "harness/campaign": [
    "harness/core",
    "harness/history",
    "harness/check",
    "harness/run",
    "harness/proof",
    "harness/client",
    "harness/external",
    "harness/simulated",
    "harness/containers",
    "harness/live",
    "lock-impl",
    "workloads",
    "faults",
    // The types that reports take and campaigns provide; never a drawing.
    "reports/run/run-record.ts",
    "reports/debate/measured-headline.ts",
  ],
  "harness/cli": "everything",
  "harness/verify": "everything",
  "lock-impl": ["harness/core", "faults/registry.ts"],
  workloads: ["harness/core", "harness/history"],
  faults: ["harness/core"],
  reports: ["harness/core", "harness/history", "harness/check", TRAITS],
  docker: [],
};

/**
 * The room that turns the words of the command line into calls. No other room imports it: code that others need belongs
 * in another room.
 */
const CLI_FOLDER = "harness/cli";

/** The files that import what their user names or writes. */
const LOADERS = ["harness/client/load-driver.ts", "harness/cli/config-file.ts"];

/** Where a process may be ended: the composition root, and separate programs. */
const MAY_EXIT = ["harness/cli", "harness/client/worker.ts", "harness/containers/cleanup/watchdog-process.ts"];

/** Folders of what only tests and benchmarks use. */
const FOR_TESTS = ["testing", "testdata", "bench"];

/** True for tests, benchmarks, and files that only they use: the product must not import them. */
export function isTest(path: string): boolean {
  return /\.(test|bench)\.ts$/.test(path) || path.split("/").some((part) => FOR_TESTS.includes(part));
}

/** What breaks the layer rule, a line each. */
export function layerViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (isTest(file.path) || !file.path.includes("/")) return [];
    const room = roomOf(file.path);
    if (room === undefined) return [`${file.path}: is in no room of the table`];
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

/** A folder with more files than this needs subfolders for files that belong together. */
const MOST_FILES = 25;

/** Folders with many things of one kind, one per file, which nobody reads from top to bottom. */
const LISTS = [
  "workloads/catalogue",
  "lock-impl/flawed",
  "faults",
  "harness/cli/commands",
  "harness/campaign/conform/checks",
];

/** Folders with too many files of the product, one line each. Tests and subfolders do not count. */
export function crowdedFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (!isTest(path)) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && !LISTS.includes(folder))
    .map(([folder, count]) => `${folder}: ${count} files, more than ${MOST_FILES}`);
}

/** Imports of the command line from outside it, tests and benchmarks included, one line each. */
export function cliImportViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isWithin(path, CLI_FOLDER))
    .flatMap((file) =>
      importsOf(file).flatMap(({ line, specifier }) => {
        if (specifier === undefined || !specifier.startsWith(".")) return [];
        const target = posix.join(posix.dirname(file.path), specifier);
        return isWithin(target, CLI_FOLDER)
          ? [`${file.path}:${line}: may not import ${target}: no other room depends on the CLI`]
          : [];
      }),
    );
}

/** Calls of `process.exit` where a process must not be ended, one line each. */
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
