import { isNode, parse, type SourceFile } from "./source-file.ts";
import { isTest } from "./layer-rule.ts";

/**
 * Code with its own vocabulary, which nobody reads together with the rest: the simulated servers and network, the
 * locks, and packaging. Within each of them, and in the rest of the project, a name means one thing.
 */
const LANGUAGES = ["harness/simulated/", "lock-impl/alternatives/zookeeper/", "lock-impl/", "packaging/", "examples/"];

/** What everybody speaks: its names mean the same everywhere. */
const SHARED = "harness/core/";

/**
 * Exported types and classes with the same name and different meanings, one line each. Type aliases of a re-export do
 * not count.
 */
export function repeatedTypeNames(files: readonly SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const file of files) {
    if (isTest(file.path)) continue;
    for (const name of exportedTypes(file)) places.set(name, [...(places.get(name) ?? []), file.path]);
  }
  return [...places].flatMap(([name, paths]) => {
    const meet = paths.filter((path) =>
      paths.some((other) => other !== path && (languageOf(path) === languageOf(other) || other.startsWith(SHARED))),
    );
    return meet.length === 0 ? [] : [`${name}: ${paths.toSorted().join(", ")}`];
  });
}

function languageOf(path: string): string {
  return LANGUAGES.find((folder) => path.startsWith(folder)) ?? "";
}

const DECLARING = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ClassDeclaration",
  "TSEnumDeclaration",
]);

function exportedTypes(file: SourceFile): readonly string[] {
  return parse(file).body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || !isNode(statement.declaration)) return [];
    const { type, id } = statement.declaration as { type: string; id?: unknown };
    return DECLARING.has(type) && isNode(id) ? [String(id["name"])] : [];
  });
}
