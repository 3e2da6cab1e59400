import { readFileSync } from "node:fs";
import { join } from "node:path";
import { topologies } from "../../harness/core/topologies/registry.ts";
import { CAUSES, PROPERTIES } from "../../harness/core/verdict.ts";
import { headingIds } from "../../reports/html/heading-ids.ts";
import { type Exported, exportedBy } from "./exported.ts";

/** Types that are computed from a registry: a reader wants the words. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  Cause: CAUSES,
  Property: PROPERTIES,
  TopologyKind: topologies.map(({ kind }) => kind),
};

const LABELS: Readonly<Record<string, string>> = { param: "Parameter", returns: "Returns", throws: "Throws" };

/** An entry of the package, as it is imported, and what it exports. */
export interface PackageEntry {
  readonly specifier: string;
  readonly exported: readonly Exported[];
}

/** The entries of `package.json` that have types, with everything they export. */
export function packageEntries(root: string): readonly PackageEntry[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === "string") return [];
    const source = entry.types.replace("./dist/", "").replace(/\.d\.ts$/, ".ts");
    return [{ specifier: path.replace(".", name), exported: exportedBy(root, source) }];
  });
}

/** `docs/api.md`: what each entry of the package exports, from the docstrings. */
export function apiDocument(entries: readonly PackageEntry[]): string {
  const shown = new Set<string>();
  return [
    "# API reference",
    "",
    "What each entry of the package exports. Names that end in `Ms` are in milliseconds.",
    "",
    ...contents(entries),
    ...entries.flatMap(({ specifier, exported }) => {
      const fresh = exported.filter((one) => !shown.has(placeOf(one)));
      const again = exported.filter((one) => shown.has(placeOf(one)));
      for (const one of fresh) shown.add(placeOf(one));
      return ["", `## ${specifier}`, ...alsoExported(again), ...fresh.flatMap(described)];
    }),
    "",
    "In a clone, `npm run docs:api` generates this page from the docstrings.",
    "",
  ].join("\n");
}

/** A line for each entry, with a link to everything that has its place there. */
function contents(entries: readonly PackageEntry[]): readonly string[] {
  const shown = new Set<string>();
  const idOf = headingIds();
  return entries.map(({ specifier, exported }) => {
    const entry = `[\`${specifier}\`](#${idOf(specifier)})`;
    const links = exported.flatMap((one): readonly string[] => {
      if (shown.has(placeOf(one))) return [];
      shown.add(placeOf(one));
      return [`[\`${one.name}\`](#${idOf(one.name)})`];
    });
    return `- ${entry}: ${links.join(", ")}`;
  });
}

function placeOf({ path, name }: Exported): string {
  return `${path}#${name}`;
}

function alsoExported(again: readonly Exported[]): readonly string[] {
  if (again.length === 0) return [];
  const names = again.map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`);
  return ["", `Also exports ${names.join(", ")}.`];
}

function described({ name, doc = "", signature }: Exported): readonly string[] {
  const words = WORDS[name];
  const code = words === undefined ? signature : union(name, words);
  return ["", `### ${name}`, "", ...prose(doc), "```ts", code, "```"];
}

function union(name: string, words: readonly string[]): string {
  return [`type ${name} =`, ...words.map((word) => `  | ${JSON.stringify(word)}`)].join("\n").concat(";");
}

/** A docstring as Markdown: its text, then its tags as a list. */
function prose(doc: string): readonly string[] {
  const [text = "", ...tags] = doc.split(/^@(?=param|returns|throws)/m);
  const items = tags.map((tag) => {
    const [, kind = "", words = ""] = /^(\w+)\s+([^]*)$/.exec(tag) ?? [];
    return `- ${LABELS[kind] ?? kind}: ${words.trim().replaceAll(/\s*\n\s*/g, " ")}`;
  });
  return [text.trim(), "", ...items, ...(items.length > 0 ? [""] : [])];
}
