import { statSync } from "node:fs";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import { settingsFor } from "./project-settings.ts";
import { isOfProject } from "./to-javascript.ts";

const EXTENSIONS = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];

/** What a file is called before it is compiled, by the extension under which the compiled one is imported. */
const SOURCE_OF: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" };

/**
 * The file that a project means by a specifier under which Node finds none: one without its extension, a folder with an
 * index, a file that is not compiled yet (`./lock.js` for lock.ts), or what `paths` in tsconfig.json stands for.
 * Undefined if there is none, or if an installed package asks.
 * @param parent the path of the requesting file
 */
export function findFile(specifier: string, parent: string): string | undefined {
  if (!isOfProject(parent)) return undefined;
  const isPlace = specifier.startsWith(".") || isAbsolute(specifier);
  const bases = isPlace ? [resolve(dirname(parent), specifier)] : settingsFor(parent).mapped(specifier);
  return bases.flatMap(candidates).find(isFile);
}

function candidates(base: string): readonly string[] {
  const extension = extname(base);
  const source = SOURCE_OF[extension];
  return [
    base,
    ...(source === undefined ? [] : [base.slice(0, -extension.length) + source]),
    ...EXTENSIONS.map((each) => base + each),
    ...EXTENSIONS.map((each) => join(base, `index${each}`)),
  ];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
