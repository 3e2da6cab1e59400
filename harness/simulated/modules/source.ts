import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import v8 from "node:v8";
import vm from "node:vm";
import { COMMONJS_PARAMETERS, isOfModule, withCommonJsNames } from "../../client/typescript/module-syntax.ts";
import { isOfProject, toJavaScript, TYPESCRIPT } from "../../client/typescript/to-javascript.ts";

/** A compiled CommonJS module, to be run once per graph. */
type RunCommonJs = (exports: unknown, require: unknown, module: unknown, filename: string, folder: string) => unknown;

/** A file of a library, read and compiled once per process. */
export type Source =
  | { readonly kind: "commonjs"; readonly run: RunCommonJs; readonly addsToReflect: boolean }
  | { readonly kind: "module"; readonly code: string; cachedData: Buffer; readonly addsToReflect: boolean }
  | { readonly kind: "json"; readonly text: string }
  /** Compiled from another language. There is one per process for all graphs. */
  | { readonly kind: "addon" };

/** Handles `import()` in a CommonJS module: the compiled code is shared, so the caller must be determined. */
export type ImportDynamically = (specifier: string, parent: string) => Promise<object>;

const NODE_REDIS = /[/\\]@(?:node-)?redis[/\\]client[/\\]dist[/\\]lib[/\\]/;
const IOREDIS = /[/\\](?:ioredis|iovalkey)[/\\]built[/\\]utils[/\\]Commander\.js$/;
/** The table of all commands of node-redis 4: those of a cluster, and what only a client has. */
const COMMANDS = /(exports\.default = )\{\s*\.\.\.(commands_1\.default),([^{}]*\})\s*;/;
/** Code that may add to `Reflect`: it uses it otherwise than for what is there. */
const ADDS_TO_REFLECT =
  /\bReflect\b(?!\s*\.\s*(?:apply|construct|defineProperty|deleteProperty|get|getOwnPropertyDescriptor|getPrototypeOf|has|isExtensible|ownKeys|preventExtensions|set|setPrototypeOf)\b)/;
const QUICK = "it.a = it.b = 0; delete it.a; delete it.b;";

/**
 * V8 remembers compiled modules by their text, with the functions that import for them, and so a client's whole graph, for as
 * long as the process runs. It would never find one again: each graph's modules are new ones. They are compiled from
 * `cachedData` instead.
 */
v8.setFlagsFromString("--no-compilation-cache");

const sources = new Map<string, Source>();
const typeOfFolder = new Map<string, string | undefined>();

/**
 * The source of a file, as Node would take it.
 * @throws errors of reading and compiling
 */
export function sourceOf(path: string, importDynamically: ImportDynamically): Source {
  let source = sources.get(path);
  if (source === undefined) sources.set(path, (source = load(path, importDynamically)));
  return source;
}

function load(path: string, importDynamically: ImportDynamically): Source {
  const extension = extname(path);
  if (extension === ".node") return { kind: "addon" };
  const text = readFileSync(path, "utf8");
  if (extension === ".json") return { kind: "json", text };
  const isTypeScript = TYPESCRIPT.test(path);
  const code = withQuickPrototypes(path, withoutHashbang(isTypeScript ? toJavaScript(text, path).code : text));
  if (/\.m[jt]s$/.test(path)) return compileModule(path, code);
  const isCommonJs = /\.c[jt]s$/.test(path);
  const type = isCommonJs ? "commonjs" : packageType(dirname(path));
  if (type === "module") return compileModule(path, code);
  // The TypeScript of a project is written as a module, whatever it is compiled to.
  const isCompiledByProject = isTypeScript && isOfProject(path);
  if (type === "commonjs" && !isCompiledByProject) return compileCommonJs(path, code, importDynamically);
  // Nothing says which kind it is: if it is not CommonJS, it is tried as a module, as Node does.
  try {
    return compileCommonJs(path, code, importDynamically);
  } catch (error) {
    if (!isOfModule(error)) throw error;
    return compileModule(path, isCompiledByProject ? withCommonJsNames(code) : code);
  }
}

function withoutHashbang(code: string): string {
  return code.startsWith("#!") ? `//${code}` : code;
}

/**
 * For each client node-redis adds a thousand commands to the prototype of a class, one by one: version 5 to an empty class
 * that it makes for them, version 4 to its classes of clients and transactions. So does ioredis, for each graph. V8 rebuilds
 * the whole prototype each time, unless a property was deleted from it before, and unless the program has read from it: then
 * that takes a hundredth of the time. Programs cannot tell the one from the other. The table of the commands of version 4 grows
 * in the same way: for each client V8 would copy the list of its names for each further one, 4 MB in all.
 */
function withQuickPrototypes(path: string, code: string): string {
  if (IOREDIS.test(path)) {
    return code.replace(/^commands\.forEach\(function/m, `{ const it = Commander.prototype; ${QUICK} } $&`);
  }
  if (!NODE_REDIS.test(path)) return code;
  if (path.endsWith("commands.js")) {
    const [open, close] = [`(() => { const it = {}; ${QUICK} return Object.assign(it, `, "); })();"];
    return code.replace(COMMANDS, `$1${open}$2, {$3${close}`);
  }
  if (!path.endsWith("commander.js")) {
    return code.replace(/(executor: )(\w+\.prototype)\.(commandsExecutor\b)/, '$1Reflect.get($2, "$3")');
  }
  return code
    .replace(/(= class extends BaseClass \{)\s*\}/, `$1 static { const it = this.prototype; ${QUICK} } }`)
    .replace(/(function \w+\(\{ BaseClass, commands, executor \}\) \{)/, `$1 const it = BaseClass.prototype; ${QUICK}`);
}

function compileModule(path: string, code: string): Source {
  return { kind: "module", code, cachedData: cacheOf(path, code), addsToReflect: ADDS_TO_REFLECT.test(code) };
}

/**
 * A module of a graph, made of what was compiled before.
 * @throws errors of compiling
 */
export function instanceOf(
  path: string,
  source: Extract<Source, { kind: "module" }>,
  options: vm.SourceTextModuleOptions,
): vm.SourceTextModule {
  const instance = (): vm.SourceTextModule =>
    new vm.SourceTextModule(source.code, { ...options, cachedData: source.cachedData });
  try {
    return instance();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_VM_MODULE_CACHED_DATA_REJECTED") throw error;
    // The program has set a flag of V8 since.
    source.cachedData = cacheOf(path, source.code);
    return instance();
  }
}

/** Functions that the types of Node do not contain yet. */
function cacheOf(path: string, code: string): Buffer {
  const module = new vm.SourceTextModule(code, { identifier: path });
  return (module as unknown as { createCachedData(): Buffer }).createCachedData();
}

function compileCommonJs(path: string, code: string, importDynamically: ImportDynamically): Source {
  const options = {
    filename: path,
    importModuleDynamically: (specifier: string) => importDynamically(specifier, path),
  };
  const run = vm.compileFunction(code, COMMONJS_PARAMETERS, options as unknown as vm.CompileFunctionOptions);
  return { kind: "commonjs", run: run as unknown as RunCommonJs, addsToReflect: ADDS_TO_REFLECT.test(code) };
}

/** The `type` of the package that contains a folder; undefined where it has none. */
function packageType(folder: string): string | undefined {
  if (typeOfFolder.has(folder)) return typeOfFolder.get(folder);
  const file = join(folder, "package.json");
  const parent = dirname(folder);
  let type: string | undefined;
  if (existsSync(file)) type = (JSON.parse(readFileSync(file, "utf8")) as { readonly type?: string }).type;
  else if (parent !== folder) type = packageType(parent);
  typeOfFolder.set(folder, type);
  return type;
}

/** Node's own `require`, for modules of which a process has only one. */
export const requireShared: NodeJS.Require = createRequire(import.meta.url);
