import vm from "node:vm";

/** What V8 says of code that only an ES module can contain. */
const REFUSED = /Cannot use import statement|Unexpected token 'export'|Cannot use 'import\.meta'|await is only valid/;

/** What a CommonJS module is given. */
export const COMMONJS_PARAMETERS: readonly string[] = ["exports", "require", "module", "__filename", "__dirname"];

/** Whether code was refused, when it was compiled as anything else, because it is an ES module. */
export function isOfModule(error: unknown): boolean {
  return error instanceof SyntaxError && REFUSED.test(error.message);
}

/** Whether code is an ES module. */
export function hasModuleSyntax(code: string): boolean {
  try {
    vm.compileFunction(code.replace(/^#!/, "//"), COMMONJS_PARAMETERS);
    return false;
  } catch (error) {
    return isOfModule(error);
  }
}

/** What CommonJS gives to a file that is an ES module here. */
const GIVEN = {
  __filename: "import.meta.filename",
  __dirname: "import.meta.dirname",
  require: "createRequireOfFile(import.meta.url)",
};

/**
 * A file that is written as an ES module, and that its project compiles to CommonJS, with what it uses of CommonJS and does not
 * declare. That stands on its first line, so that no line moves.
 */
export function withCommonJsNames(code: string): string {
  const used = Object.entries(GIVEN).filter(
    ([name]) => new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`\\b(?:const|let|var)\\s+${name}\\b`).test(code),
  );
  if (used.length === 0) return code;
  const declarations = used.map(([name, value]) => `${name} = ${value}`).join(", ");
  return `import { createRequire as createRequireOfFile } from "node:module"; var ${declarations}; ${code}`;
}
