import Module, { isBuiltin } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Node's own resolution, which takes conditions, but has no types. */
type Resolve = (
  specifier: string,
  parent: { readonly id: string; readonly filename: string; readonly paths: readonly string[] },
  isMain: boolean,
  options?: { readonly conditions: ReadonlySet<string> },
) => string;

const { _resolveFilename: resolveFilename, _nodeModulePaths: nodeModulePaths } = Module as unknown as {
  readonly _resolveFilename: Resolve;
  readonly _nodeModulePaths: (folder: string) => string[];
};

const IMPORT = new Set(["node", "import", "module-sync", "node-addons"]);
const known = new Map<string, string>();

/** How a module requests another one: many packages have different entry points for the two ways. */
export type Asking = "import" | "require";

/**
 * The path of the requested file, or the name of a built-in module, `node:fs`.
 * @param parent the path of the requesting file
 * @throws Node's own error when there is none
 */
export function resolveModule(specifier: string, parent: string, asking: Asking): string {
  if (isBuiltin(specifier)) return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  if (specifier.startsWith("file:")) return fileURLToPath(specifier);
  const folder = dirname(parent);
  const name = `${asking}\0${folder}\0${specifier}`;
  let path = known.get(name);
  if (path === undefined) {
    const from = { id: parent, filename: parent, paths: nodeModulePaths(folder) };
    path = resolveFilename(specifier, from, false, asking === "import" ? { conditions: IMPORT } : undefined);
    known.set(name, path);
  }
  return path;
}
