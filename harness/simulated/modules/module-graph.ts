import Module, { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { heartbeat } from "../../client/heartbeat.ts";
import { current } from "../kernel/current-context.ts";
import { queryOf, resolveModule } from "./resolution.ts";
import { type ImportDynamically, instanceOf, requireShared, sourceOf, type Source } from "./source.ts";

/** A CommonJS module of a graph, as its code sees it. */
interface CommonJsModule {
  readonly id: string;
  readonly filename: string;
  readonly path: string;
  readonly parent: CommonJsModule | undefined;
  readonly children: CommonJsModule[];
  readonly paths: readonly string[];
  exports: unknown;
  loaded: boolean;
  require: (specifier: string) => unknown;
}

/**
 * The graphs of hosts in their current life: a function that graphs share finds its graph by the host in which it runs.
 */
const graphs = new WeakMap<object, ModuleGraph>();

const MODULE = "node:module";

/**
 * Modules of which a process has only one: the errors and types that a driver shares with the harness, the tables of what
 * locks promise, and the client library of our own locks, which is known to keep nothing at module level.
 */
const SHARED: readonly string[] = [
  fileURLToPath(new URL("../../core/", import.meta.url)),
  ...["index", "lock-impl/claims", "lock-impl/claim-tables", "lock-impl/lock-kinds"].map((name) =>
    fileURLToPath(new URL(`../../../${name}${extname(import.meta.url)}`, import.meta.url)),
  ),
  join(dirname(requireShared.resolve("ioredis")), "/"),
];

/**
 * The modules of one client, loaded as a separate process would load them: state at module level belongs to this client
 * alone. Files are read and compiled once per process and run once per graph, which takes a fraction of the time.
 * Built-in modules, native addons and the harness's own types are shared. A CommonJS module that another module imports
 * is run when that module is linked, a little earlier than Node runs it.
 */
export class ModuleGraph {
  /** The loaded native addons, by path: their work is not simulated. */
  readonly addons: string[] = [];
  readonly #commonJs: Record<string, CommonJsModule> = Object.create(null) as Record<string, CommonJsModule>;
  readonly #modules = new Map<string, vm.Module>();
  /** `node:module`, whose `createRequire` gives the modules of this graph. */
  readonly #nodeModule = new Proxy(Module, {
    get: (target, name): unknown =>
      name === "createRequire" ? (from: string | URL) => this.#createRequire(from) : Reflect.get(target, name),
  });

  /** Of the client that asks, since what was compiled for one graph runs in all. */
  readonly #importDynamically: ImportDynamically = async (specifier, parent) => {
    const graph: ModuleGraph = (current.host === null ? undefined : graphs.get(current.host)) ?? this;
    return graph.#importFrom(specifier, parent);
  };

  /** @param owner the host in which it is loaded and runs */
  constructor(owner: object) {
    graphs.set(owner, this);
  }

  /** The graph of a host's program; undefined where it shares the modules of the process. */
  static of(owner: object): ModuleGraph | undefined {
    return graphs.get(owner);
  }

  /** Whether Node was started so that modules can be loaded more than once (`NODE_OPTIONS_FOR_MODULES`). */
  static get isPossible(): boolean {
    return typeof vm.SourceTextModule === "function";
  }

  /**
   * Loads a module by its path.
   * @throws the errors of the module while it is loaded
   */
  async import(path: string): Promise<object> {
    return this.#evaluate(this.#module(path));
  }

  async #evaluate(module: vm.Module): Promise<object> {
    if (module.status === "unlinked" || module.status === "linking") instantiate(module);
    await module.evaluate();
    return module.namespace;
  }

  /** @param parent the path of the requesting module */
  async #importFrom(specifier: string, parent: string): Promise<object> {
    return this.#evaluate(this.#requested(specifier, parent));
  }

  /** @param parent the path of the requesting module */
  #requested(specifier: string, parent: string): vm.Module {
    return this.#module(resolveModule(specifier, parent, "import"), queryOf(specifier));
  }

  /** @param query what follows the path in the module's address: another one is another module */
  #module(path: string, query = ""): vm.Module {
    const known = this.#modules.get(path + query);
    if (known !== undefined) return known;
    if (path === MODULE) return this.#remember(path, asModule(path, this.#nodeModule));
    if (path.startsWith("node:") || isShared(path)) return this.#remember(path, asModule(path, requireShared(path)));
    const source = this.#source(path);
    if (source.kind === "module") return this.#link(path, query, source);
    return this.#remember(path, asModule(path, this.#load(path, undefined)));
  }

  #remember(path: string, module: vm.Module): vm.Module {
    this.#modules.set(path, module);
    return module;
  }

  #link(path: string, query: string, source: Extract<Source, { kind: "module" }>): vm.Module {
    const url = pathToFileURL(path).href + query;
    const module = instanceOf(path, source, {
      identifier: url,
      initializeImportMeta: (meta: ImportMeta) => {
        meta.url = url;
        meta.filename = path;
        meta.dirname = dirname(path);
        meta.resolve = (specifier: string) => {
          const found = resolveModule(specifier, path, "import");
          return found.startsWith("node:") ? found : pathToFileURL(found).href + queryOf(specifier);
        };
      },
      importModuleDynamically: (specifier: string) => this.#importFrom(specifier, path) as never,
    });
    this.#remember(path + query, module);
    const linkable = module as unknown as Linkable;
    linkable.linkRequests(linkable.moduleRequests.map(({ specifier }) => this.#requested(specifier, path)));
    return module;
  }

  #source(path: string): Source {
    // A package of thousands of files computes for long in one step, and does not hang.
    heartbeat.advance();
    const source = sourceOf(path, this.#importDynamically);
    if ("addsToReflect" in source && source.addsToReflect) current.host?.globals?.giveReflect();
    return source;
  }

  /** The result of `require`. */
  #require(specifier: string, parent: CommonJsModule): unknown {
    const path = resolveModule(specifier, parent.filename, "require");
    if (path === MODULE) return this.#nodeModule;
    if (path.startsWith("node:") || isShared(path)) return requireShared(path);
    const known = this.#commonJs[path];
    return known === undefined ? this.#load(path, parent) : known.exports;
  }

  #load(path: string, parent: CommonJsModule | undefined): unknown {
    const known = this.#commonJs[path];
    if (known !== undefined) return known.exports;
    const source = this.#source(path);
    if (source.kind === "json") return this.#define(path, parent, JSON.parse(source.text)).exports;
    if (source.kind === "module") return this.#evaluateNow(path);
    if (source.kind === "addon") {
      this.addons.push(path);
      return this.#define(path, parent, requireShared(path)).exports;
    }
    const module = this.#define(path, parent, {});
    try {
      source.run.call(module.exports, module.exports, module.require, module, path, module.path);
    } catch (error) {
      delete this.#commonJs[path];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  /** A module that CommonJS requires: it must be there at once. */
  #evaluateNow(path: string): object {
    const module = this.#module(path);
    if (module.status === "unlinked" || module.status === "linking") instantiate(module);
    // `error` reports its rejection.
    module.evaluate().catch(() => {});
    if (module.status === "errored") throw module.error;
    return module.namespace;
  }

  #createRequire(from: string | URL): CommonJsModule["require"] {
    const path = from instanceof URL || from.startsWith("file:") ? fileURLToPath(from) : from;
    // As in Node: what a folder requires, a file in it would.
    return this.#create(path.endsWith("/") ? join(path, "noop.js") : path, undefined, {}).require;
  }

  #define(path: string, parent: CommonJsModule | undefined, exports: unknown): CommonJsModule {
    return (this.#commonJs[path] = this.#create(path, parent, exports));
  }

  #create(path: string, parent: CommonJsModule | undefined, exports: unknown): CommonJsModule {
    const module: CommonJsModule = {
      id: path,
      filename: path,
      path: dirname(path),
      parent,
      children: [],
      paths: [],
      exports,
      loaded: false,
      require: (specifier) => this.#require(specifier, module),
    };
    parent?.children.push(module);
    const { resolve, extensions } = requireFacts(path);
    const require = module.require as { -readonly [Fact in keyof NodeJS.Require]?: NodeJS.Require[Fact] };
    // One by one: that takes half the time of `Object.assign`.
    require.resolve = resolve;
    require.extensions = extensions;
    require.cache = this.#commonJs as unknown as NodeJS.Require["cache"];
    require.main = undefined;
    return module;
  }
}

/** What Node's own `require` for a file has beside `cache` and `main`: the same in every graph, and slow to make. */
function requireFacts(path: string): RequireFacts {
  let facts = requireFactsByPath.get(path);
  if (facts === undefined) {
    const { resolve, extensions } = createRequire(path);
    requireFactsByPath.set(path, (facts = { resolve, extensions }));
  }
  return facts;
}

type RequireFacts = Pick<NodeJS.Require, "resolve" | "extensions">;
const requireFactsByPath = new Map<string, RequireFacts>();

/** Functions that the types of Node do not contain yet. */
interface Linkable {
  readonly moduleRequests: readonly { readonly specifier: string }[];
  linkRequests(modules: readonly vm.Module[]): void;
  instantiate(): void;
}

function instantiate(module: vm.Module): void {
  (module as unknown as Linkable).instantiate();
}

function isShared(path: string): boolean {
  return SHARED.some((shared) => path.startsWith(shared));
}

/** The exports of a CommonJS module, as a module that can be imported. */
function asModule(name: string, exported: unknown): vm.Module {
  const isObject = (typeof exported === "object" && exported !== null) || typeof exported === "function";
  const isNamespace = vm.isContext !== undefined && Object.prototype.toString.call(exported) === "[object Module]";
  const names = isObject ? Object.keys(exported).filter((key) => key !== "default" && key !== "module.exports") : [];
  const given = exported as Readonly<Record<string, unknown>>;
  const hasDefault = isNamespace ? Reflect.has(exported as object, "default") : true;
  const module = new vm.SyntheticModule(
    hasDefault ? ["default", ...names] : names,
    () => {
      if (hasDefault) module.setExport("default", isNamespace ? given["default"] : exported);
      for (const key of names) module.setExport(key, given[key]);
    },
    { identifier: name },
  );
  return module;
}
