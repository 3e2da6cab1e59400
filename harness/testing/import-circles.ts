import { posix } from "node:path";
import { importsOf, type SourceFile } from "./source-file.ts";

/**
 * Files that import one another in a circle when they are loaded, one line per circle, its files in order. The importer
 * decides which of them runs first, and that file does not see the other's exports yet. Imports of types and dynamic
 * imports do not count: the former are gone at run time, the latter happen later.
 */
export function importCircles(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const imports = new Map(
    files.map((file) => {
      const targets = importsOf(file)
        .filter(({ specifier, whenLoaded }) => whenLoaded && specifier?.startsWith(".") === true)
        .map(({ specifier = "" }) => posix.join(posix.dirname(file.path), specifier));
      return [file.path, targets.filter((target) => paths.has(target))] as const;
    }),
  );
  return connected(imports).map((circle) => `${circle.toSorted().join(", ")}: import each other when they are loaded`);
}

/** The groups of two or more files that reach each other, and each file that reaches itself: Tarjan's algorithm. */
function connected(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || edges.get(node)?.includes(node) === true) groups.push(group);
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups;
}
