import { readFileSync } from "node:fs";
import { type LoadFnOutput, type LoadHookContext, registerHooks, type ResolveHookContext } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findFile } from "./find-file.ts";
import { hasModuleSyntax, withCommonJsNames } from "./module-syntax.ts";
import { isOfProject, toJavaScript, TYPESCRIPT } from "./to-javascript.ts";

let registered = false;

/**
 * From now on this thread loads the TypeScript of a user's project as the project's own tools do. What Node can load by itself
 * is left to Node.
 */
export function loadTypeScriptOfProjects(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        const file = fileFor(specifier, context);
        if (file === undefined) throw error;
        return nextResolve(context.conditions.includes("require") ? file : pathToFileURL(file).href, context);
      }
    },
    load(url, context, nextLoad) {
      const path = pathOf(url);
      if (path === undefined || !isOfProject(path)) return nextLoad(url, context);
      if (!TYPESCRIPT.test(path)) return moduleWithoutType(path, context) ?? nextLoad(url, context);
      const { code, isRewritten } = toJavaScript(readFileSync(path, "utf8"), path);
      const isModule = hasModuleSyntax(code) || isModuleByName(path, context.format);
      // The project compiles it to CommonJS; Node would refuse it, or, where package.json names no type, warn and take it as a module.
      const isTurned = isModule && context.format?.startsWith("module") !== true;
      if (!isRewritten && !isTurned) return nextLoad(url, context);
      const source = isTurned ? withCommonJsNames(code) : code;
      return { format: isModule ? "module" : "commonjs", source, shortCircuit: true };
    },
  });
}

/**
 * A module in a `.js` file of which nothing says that it is one: no package.json, or one without a type. Node takes it as a module
 * too, with a warning about a package that works.
 */
function moduleWithoutType(path: string, { format }: LoadHookContext): LoadFnOutput | undefined {
  if (!path.endsWith(".js") || (format ?? undefined) !== undefined) return undefined;
  const source = readFileSync(path, "utf8");
  return hasModuleSyntax(source) ? { format: "module", source, shortCircuit: true } : undefined;
}

function fileFor(specifier: string, { parentURL }: ResolveHookContext): string | undefined {
  const parent = parentURL === undefined ? undefined : pathOf(parentURL);
  return parent === undefined ? undefined : findFile(specifier, parent);
}

function pathOf(url: string): string | undefined {
  return url.startsWith("file:") ? fileURLToPath(url.replace(/[?#].*$/, "")) : undefined;
}

/** Whether its extension or its package says that a file is a module. */
function isModuleByName(path: string, format: string | null | undefined): boolean {
  return path.endsWith(".mts") || format?.startsWith("module") === true;
}
