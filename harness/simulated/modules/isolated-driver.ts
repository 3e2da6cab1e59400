import { beginRunWithBuiltIns } from "../../client/built-ins.ts";
import type { ForeignDriver } from "../../client/load-driver.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import { current } from "../kernel/current-context.ts";
import { OwnGlobals } from "../kernel/own-globals.ts";
import { ModuleGraph } from "./module-graph.ts";

/**
 * A driver whose every client has its own modules in every run: state that a lock or a library keeps at module level, or on `globalThis`, is
 * neither shared between clients nor kept from run to run, just as between processes. Undefined where Node was not
 * started with `NODE_OPTIONS_FOR_MODULES`.
 */
export function isolatedDriver({ path, find }: ForeignDriver): LockDriver | undefined {
  if (!ModuleGraph.isPossible) return undefined;
  return {
    async connect(environment) {
      if (current.host === null) throw new Error("a client loads its modules in its host");
      beginRunWithBuiltIns();
      current.host.globals = new OwnGlobals();
      OwnGlobals.enter(current.host.globals);
      const graph = new ModuleGraph(current.host);
      return (await find(await graph.import(path))).connect(environment);
    },
  };
}
