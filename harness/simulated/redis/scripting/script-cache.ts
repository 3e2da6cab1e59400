import { compileOnce } from "../../lua/compiler/compile-once.ts";
import { createRuntime, Drand48, LuaError, type LuaFunction, type Runtime } from "../../lua/script.ts";
import { fail } from "../arguments.ts";
import { redisGlobals } from "./script-api.ts";
import { readScriptHeader, type ScriptFlags } from "./script-header.ts";
import type { ScriptRun } from "./script-run.ts";
import { sha1 } from "./sha1.ts";
import type { RedisServer } from "../server.ts";

/** A script that the server knows. */
export interface Script {
  readonly sha: string;
  readonly flags: ScriptFlags;
  readonly run: LuaFunction;
  /** Loaded by EVAL, not by SCRIPT LOAD: then it may be evicted when there are too many. */
  readonly isTransient: boolean;
}

/** This many scripts loaded by EVAL are kept, since 7.4. */
const MAX_TRANSIENT = 500;

/** The scripts of a server, by their SHA-1, and the one interpreter that runs them. */
export class ScriptCache {
  readonly #server: RedisServer;
  readonly #scripts = new Map<string, Script>();
  /** What `math.random` draws from, in functions too. */
  readonly random = new Drand48();
  #runtime: Runtime | undefined;
  /** The run under way, of a script or of a function. */
  current: ScriptRun | undefined;

  constructor(server: RedisServer) {
    this.#server = server;
  }

  /** The interpreter, made when it is first needed: many servers never run a script. */
  get runtime(): Runtime {
    this.#runtime ??= createRuntime("user_script", (runtime) => redisGlobals(this.#server, runtime), this.random);
    return this.#runtime;
  }

  /** The script with this digest, in either case. */
  find(sha: string): Script | undefined {
    return this.#scripts.get(sha) ?? this.#scripts.get(sha.toLowerCase());
  }

  /** Compiles a script, or finds it. @throws ReplyError when it does not compile */
  define(body: string, isTransient: boolean): Script {
    const sha = sha1(body);
    const known = this.#scripts.get(sha);
    if (known !== undefined) return known;
    const { flags, source } = readScriptHeader(body);
    const script = { sha, flags, isTransient, run: this.#compile(source) };
    if (isTransient && this.#server.isModern) this.#makeRoom();
    this.#scripts.set(sha, script);
    return script;
  }

  #compile(source: string): LuaFunction {
    try {
      return compileOnce(source, "user_script")(this.runtime);
    } catch (error) {
      if (!(error instanceof LuaError)) throw error;
      return fail(`ERR Error compiling script (new function): ${error.message}`);
    }
  }

  /** Forgets the least recently used script of EVAL. */
  #makeRoom(): void {
    const transient = [...this.#scripts.values()].filter((script) => script.isTransient);
    for (const { sha } of transient.slice(0, Math.max(0, transient.length - MAX_TRANSIENT + 1))) {
      this.#scripts.delete(sha);
    }
  }

  /** Records that a script was used: it is now the last to be forgotten. */
  used(script: Script): void {
    if (!script.isTransient || !this.#scripts.delete(script.sha)) return;
    this.#scripts.set(script.sha, script);
  }

  /** Forgets everything, the interpreter included. */
  flush(): void {
    this.#scripts.clear();
    this.#runtime = undefined;
  }
}
