import { messageOf, UserError } from "../core/errors.ts";
import { codeOf } from "../core/system-reason.ts";
import { shellWord } from "../core/words/shell-word.ts";
import { lastDecorated } from "./typescript/decorators.ts";
import { isOfModule } from "./typescript/module-syntax.ts";
import { placeOfError } from "./typescript/place-of-error.ts";

const IN_VITEST = "test it in vitest by a function: lock: () => import(...)";

/** Many packages are built for bundlers, which find files without an extension, or without all of their files. */
const FILE_MISSING_IN_PACKAGE =
  /^Cannot find module \S.*[\\/]node_modules[\\/].* imported from .*[\\/]node_modules[\\/]/;

/** `@/locks`, `~/locks`, `src/locks`: seldom a package, and often an alias. */
const LIKE_AN_ALIAS = /^Cannot find package '(?:@\/|~|src')/;

/** Of some packages only the source was published. Node names the file that it did not find, and where nothing is installed the package. */
const MAIN_MISSING_IN_PACKAGE = /^Cannot find package '[^']*[\\/]node_modules[\\/][^']*\.[cm]?js' imported from /;

/** A name that a file does not export, or that is only a type. */
const NO_EXPORT = /The requested module '([^']+)' does not provide an export named '([^']+)'/;

/** What to tell of an error that Node gave when it loaded a module, and how to mend it. */
export function problemOfLoading(error: unknown, path: string): UserError {
  const decorated = lastDecorated();
  if (decorated !== undefined && error instanceof SyntaxError) {
    const what = `${decorated.path}:${decorated.line} has a decorator, which Node cannot read`;
    return new UserError(`${path} cannot be loaded: ${what}`, IN_VITEST, { cause: error });
  }
  // In words of our own: vitest takes Node's for a mistake of a package, and says so below them.
  if (!isOfModule(error)) {
    return new UserError(`${path} cannot be loaded: ${messageOf(error)}`, hintOfLoading(error, path), { cause: error });
  }
  const which = /\.m[jt]s$/.test(path) ? "a file that it imports" : "it";
  return new UserError(
    `${path} cannot be loaded: ${which} is written as an ES module, and Node takes it for a CommonJS module`,
    'name that file .mts or .mjs, or write "type": "module" in package.json',
    { cause: error },
  );
}

/** A hint for an export that a module lacks: a file of the user's own, or a package, which only others change. */
function hintOfExport(module: string, missing: string): string {
  const isFile = /^(?:[./#]|file:)/.test(module);
  if (isFile) return `export ${missing} there, or import it by import type, if it is a type`;
  const instead =
    missing === "default" ? `import what it exports by name, or all by import * as` : "import what it exports";
  return `${instead}: node -e 'import(${JSON.stringify(module)}).then(console.log)' shows it; a type needs import type`;
}

/** A hint for a module that Node does not load. */
function hintOfLoading(error: unknown, path: string): string {
  const code = codeOf(error);
  if (code === "ERR_MODULE_NOT_FOUND" && LIKE_AN_ALIAS.test(messageOf(error)))
    return `if it is an alias, name what it stands for under paths in tsconfig.json, or ${IN_VITEST}`;
  if (code === "ERR_MODULE_NOT_FOUND" && MAIN_MISSING_IN_PACKAGE.test(messageOf(error)))
    return "that package is installed without the file that its package.json names: take another version, or a copy of its source beside the driver";
  if (code === "ERR_MODULE_NOT_FOUND" && FILE_MISSING_IN_PACKAGE.test(messageOf(error)))
    return "a file of that package is missing: load the package by createRequire(import.meta.url), if it has files for require, or take another version";
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND")
    return "install what it imports, or correct the import";
  const [, module, missing] = NO_EXPORT.exec(messageOf(error)) ?? [];
  if (module !== undefined && missing !== undefined) return hintOfExport(module, missing);
  const place = code === undefined && !(error instanceof SyntaxError) ? placeOfError(error) : undefined;
  if (place !== undefined) return `correct it: it fails at ${place.path}:${place.line}`;
  // Node keeps the place of a syntax error to itself, and prints it.
  if (code === undefined || code === "ERR_INVALID_TYPESCRIPT_SYNTAX") {
    return `correct it: node ${shellWord(path)} shows where it fails`;
  }
  return `make it loadable by plain Node, which only strips types, or ${IN_VITEST}`;
}
