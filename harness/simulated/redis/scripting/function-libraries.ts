import { fail } from "../arguments.ts";
import type { RedisServer } from "../server.ts";
import { FunctionEngine } from "./function-engine.ts";
import { readLibraryHeader } from "./library-header.ts";
import type { RegisteredFunction } from "./register-function.ts";

/** A library that FUNCTION LOAD has loaded. */
export interface FunctionLibrary {
  readonly name: string;
  /** All of it, the header included. */
  readonly code: string;
  readonly functions: readonly RegisteredFunction[];
}

/** The function libraries of a server. They are data: replicated, and kept on disk. */
export class FunctionLibraries {
  readonly #server: RedisServer;
  #libraries = new Map<string, FunctionLibrary>();
  /** All functions, by their names in lower case: FCALL does not look at case. */
  #functions = new Map<string, RegisteredFunction>();
  #engine: FunctionEngine | undefined;

  constructor(server: RedisServer) {
    this.#server = server;
  }

  /** The interpreter, made when it is first needed: most servers never have a function. */
  get engine(): FunctionEngine {
    this.#engine ??= new FunctionEngine(this.#server, this.#server.scripts.random);
    return this.#engine;
  }

  get all(): readonly FunctionLibrary[] {
    return [...this.#libraries.values()];
  }

  /** Each library's code, in the order in which they were loaded. */
  get codes(): readonly string[] {
    return this.all.map(({ code }) => code);
  }

  find(name: string): RegisteredFunction | undefined {
    return this.#functions.get(name.toLowerCase());
  }

  /**
   * Loads a library, and returns its name.
   * @throws ReplyError when it cannot be loaded; then nothing has changed
   */
  load(code: string, replace: boolean): string {
    const { name, source } = readLibraryHeader(code);
    const old = this.#libraries.get(name);
    if (old !== undefined && !replace) return fail(`ERR Library '${name}' already exists`);
    const functions = this.engine.load(source);
    if (functions.length === 0) return fail("ERR No functions registered");
    const given = new Set(old?.functions.map((each) => each.name.toLowerCase()));
    for (const each of functions) {
      const key = each.name.toLowerCase();
      if (this.#functions.has(key) && !given.has(key)) return fail(`ERR Function ${each.name} already exists`);
    }
    this.delete(name);
    this.#libraries.set(name, { name, code, functions });
    for (const each of functions) {
      // Of two names that differ in case alone, the first is the one that is called.
      if (this.find(each.name) === undefined) this.#functions.set(each.name.toLowerCase(), each);
    }
    return name;
  }

  /** False when there is no library of this name. */
  delete(name: string): boolean {
    for (const each of this.#libraries.get(name)?.functions ?? []) this.#functions.delete(each.name.toLowerCase());
    return this.#libraries.delete(name);
  }

  flush(): void {
    this.#libraries = new Map();
    this.#functions = new Map();
    this.#engine = undefined;
  }

  /** Replaces all libraries by those of a snapshot. */
  restore(codes: readonly string[]): void {
    this.flush();
    for (const code of codes) this.load(code, false);
  }
}
