import { stripTypeScriptTypes } from "node:module";
import { sep } from "node:path";
import { codeOf } from "../../core/system-reason.ts";
import { noteDecorators } from "./decorators.ts";
import { settingsFor } from "./project-settings.ts";
import { withoutUnusedImports } from "./unused-imports.ts";

/** A file of TypeScript that Node can load by its name. */
export const TYPESCRIPT = /\.[cm]?ts$/;

/** The folder of installed packages: what is published there is taken as Node takes it. */
const PACKAGES = `${sep}node_modules${sep}`;

interface JavaScript {
  readonly code: string;
  /** Node does not load the file by itself. */
  readonly isRewritten: boolean;
}

/** Whether a file is the user's own, and not one of an installed package. */
export function isOfProject(path: string): boolean {
  return !path.includes(PACKAGES);
}

/**
 * TypeScript without its types. Node takes them away and leaves everything else where it is. It refuses what needs more: enums,
 * namespaces and parameter properties; a file of the user's project that contains such things is rewritten, and then its lines are
 * others. Node also keeps imports of types that do not say that they are, and those then fail: they go, if the project allows it.
 * @throws Node's own error for what is not TypeScript, and for what an installed package contains
 */
export function toJavaScript(text: string, path: string): JavaScript {
  if (!isOfProject(path)) return { code: stripTypeScriptTypes(text), isRewritten: false };
  noteDecorators(text, path);
  const { code, isRewritten } = withoutTypes(text);
  if (settingsFor(path).keepsImports) return { code, isRewritten };
  const lean = withoutUnusedImports(code);
  return { code: lean, isRewritten: isRewritten || lean !== code };
}

/** Only without its types. @throws Node's own error for what is not TypeScript */
export function withoutTypes(text: string): JavaScript {
  try {
    return { code: stripTypeScriptTypes(text), isRewritten: false };
  } catch (error) {
    if (codeOf(error) !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw error;
    return { code: stripTypeScriptTypes(text, { mode: "transform" }), isRewritten: true };
  }
}
