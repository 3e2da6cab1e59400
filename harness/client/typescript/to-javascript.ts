import { createRequire, stripTypeScriptTypes } from "node:module";
import { sep } from "node:path";
import type * as Oxc from "oxc-transform";
import { settingsFor } from "./project-settings.ts";

/** A file of TypeScript that Node can load by its name. */
export const TYPESCRIPT = /\.[cm]?ts$/;

/** The folder of installed packages: what is published there is taken as Node takes it. */
const PACKAGES = `${sep}node_modules${sep}`;

interface JavaScript {
  readonly code: string;
  /** Node does not load the file by itself, and the lines of the code are others than in the file. */
  readonly isRewritten: boolean;
}

const require = createRequire(import.meta.url);
let oxc: typeof Oxc | null | undefined;

/** Whether a file is the user's own, and not one of an installed package. */
export function isOfProject(path: string): boolean {
  return !path.includes(PACKAGES);
}

/**
 * TypeScript without its types. Node's own way keeps every line where it is, but refuses what needs more than leaving
 * something out: enums, namespaces, parameter properties and decorators. It also keeps imports of types that do not say
 * that they are, and those then fail. Files of the user's project in which that matters are rewritten.
 * @throws Node's own error for what is not TypeScript
 */
export function toJavaScript(text: string, path: string): JavaScript {
  const rewritten = isOfProject(path) ? rewrite(text, path) : undefined;
  try {
    const code = stripTypeScriptTypes(text);
    if (rewritten === undefined || rewritten.isErased) return { code, isRewritten: false };
  } catch (error) {
    if (rewritten === undefined) throw error;
  }
  return { code: rewritten.code, isRewritten: true };
}

/** `isErased`: leaving out the types, and the imports that say that they are of types, is all that was done. */
function rewrite(text: string, path: string): { readonly code: string; readonly isErased: boolean } | undefined {
  oxc ??= load();
  if (oxc === null) return undefined;
  const { experimentalDecorators: legacy, keepsImports } = settingsFor(path);
  const { code, errors } = oxc.transformSync(path, text, {
    lang: "ts",
    typescript: { onlyRemoveTypeImports: keepsImports },
    // No metadata of types: it would keep the imports of those types, and what is only a type is not there.
    decorator: { legacy },
  });
  if (errors.length > 0) return undefined;
  const erased = oxc.transformSync(path, text, { lang: "ts", typescript: { onlyRemoveTypeImports: true } });
  return { code, isErased: code === erased.code };
}

/** Null on a platform for which it is not built. */
function load(): typeof Oxc | null {
  try {
    return require("oxc-transform") as typeof Oxc;
  } catch {
    return null;
  }
}
