/** Checks the content of the package without running it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { importsOf as importsOfSource } from "../harness/testing/source-file.ts";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/**
 * Modules that need a package which their users install separately: locks from npm, those in PostgreSQL, its servers.
 */
const BY_NAME_ONLY =
  /^lock-impl\/(?:libraries|alternatives\/sql)\/|^harness\/containers\/servers\/postgres-connection\./;

/** Test runners, and the helpers that only their users import. */
const HELPERS: Readonly<Record<string, string>> = {
  vitest: "harness/verify/vitest.",
  "@playwright/test": "harness/verify/playwright.",
};

/**
 * Imports of packages that an installation of this one does not install, one per line: in code that runs, and in the
 * types that its entries lead to.
 */
export function foreignImports(root: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const dist = join(root, "dist");
  const programs = globSync("**/*.js", { cwd: dist }).filter((path) => !path.startsWith("reports/html/browser/"));
  if (programs.length < 100) throw new Error(`only ${programs.length} compiled files in ${dist}`);
  const entries = Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? [] : entry.types));
  const types = reachable(
    dist,
    entries.map((path) => relative("dist", path)),
  );
  return [...programs, ...types].flatMap((path) =>
    importsOf(join(dist, path))
      .filter((specifier) => !specifier.startsWith(".") && !isBuiltin(specifier))
      .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)
      .filter((name) => {
        if (name in manifest.dependencies || BY_NAME_ONLY.test(path)) return false;
        return !(name in manifest.peerDependencies && path.startsWith(HELPERS[name] ?? "no helper"));
      })
      .map((name) => `${path} imports ${name}`),
  );
}

/** These files and everything of this package that they import, relative to its folder. */
function reachable(folder: string, entries: readonly string[]): readonly string[] {
  const found = new Set(entries);
  for (const path of found) {
    for (const specifier of importsOf(join(folder, path))) {
      if (!specifier.startsWith(".")) continue;
      // The compiler leaves `.ts` in declarations, and finds the declarations of that file there.
      const target = join(dirname(path), specifier).replace(/\.[jt]s$/, ".d.ts");
      if (!existsSync(join(folder, target))) throw new Error(`${path} imports ${target}, which is not there`);
      found.add(target);
    }
  }
  return [...found];
}

function importsOf(file: string): readonly string[] {
  const source = { path: file, text: readFileSync(file, "utf8") };
  return importsOfSource(source).flatMap(({ specifier }) => specifier ?? []);
}
