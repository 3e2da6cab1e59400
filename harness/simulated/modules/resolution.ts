import Module, { isBuiltin } from "node:module";
import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findFile } from "../../client/typescript/find-file.ts";

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
/** By the requesting folder and what it requests. */
const known = new Map<string, string>();
/** By the requesting file: each client requests the same, and to put a name together takes longer than to look it up. */
const requested = { import: new Map<string, Map<string, string>>(), require: new Map<string, Map<string, string>>() };

/** How a module requests another one: many packages have different entry points for the two ways. */
export type Asking = "import" | "require";

/** What is imported by a file's place may have a query or a fragment: then it is a module of its own. */
const PLACE = /^(?<place>(?:\.{0,2}\/|file:)[^?#]*)(?<query>[?#].*)?$/s;

/**
 * The path of the requested file, or the name of a built-in module, `node:fs`.
 * @param parent the path of the requesting file
 * @throws Node's own error when there is none
 */
export function resolveModule(specifier: string, parent: string, asking: Asking): string {
  let ofParent = requested[asking].get(parent);
  if (ofParent === undefined) requested[asking].set(parent, (ofParent = new Map()));
  let path = ofParent.get(specifier);
  if (path === undefined) ofParent.set(specifier, (path = resolveAnew(specifier, parent, asking)));
  return path;
}

function resolveAnew(specifier: string, parent: string, asking: Asking): string {
  if (isBuiltin(specifier)) return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  if (asking === "require") return resolveFile(specifier, parent, asking);
  const { place = specifier } = PLACE.exec(specifier)?.groups ?? {};
  const path = place.startsWith("file:") ? fileURLToPath(place) : place;
  try {
    return resolveFile(path, parent, asking);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") throw notFound(path, parent);
    throw error;
  }
}

/** What follows the path in the address by which a module is imported: `?v=2`; empty without it. */
export function queryOf(specifier: string): string {
  return PLACE.exec(specifier)?.groups?.["query"] ?? "";
}

/** The error of `import`: programs that can do without a package look at its code. */
function notFound(path: string, parent: string): Error {
  const isFile = path.startsWith(".") || isAbsolute(path);
  const what = isFile ? `module '${resolve(dirname(parent), path)}'` : `package '${path}'`;
  return Object.assign(new Error(`Cannot find ${what} imported from ${parent}`), { code: "ERR_MODULE_NOT_FOUND" });
}

function resolveFile(specifier: string, parent: string, asking: Asking): string {
  const folder = dirname(parent);
  const name = `${asking}\0${folder}\0${specifier}`;
  let path = known.get(name);
  if (path === undefined) {
    const from = { id: parent, filename: parent, paths: nodeModulePaths(folder) };
    try {
      path = resolveFilename(specifier, from, false, asking === "import" ? { conditions: IMPORT } : undefined);
    } catch (error) {
      path = findFile(specifier, parent);
      if (path === undefined) throw error;
    }
    known.set(name, path);
  }
  return path;
}
