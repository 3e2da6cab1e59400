import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { RunResources } from "./run-resources.ts";
import { sweepRun } from "./sweep.ts";

/** What the harness writes when it ends in good order; end of file without it means that the harness died. */
export const ORDERLY_END = "end\n";

/**
 * Cleans up after a run, however the run ends: disposing removes everything that carries the run's labels or was
 * adopted; if this process dies instead, even by SIGKILL, a separate process does the same.
 */
export interface Watchdog extends AsyncDisposable {
  /** Registers a client process, to be killed with the run: a stopped one never notices that its harness is gone. */
  adopt(pid: number): void;
  /** Registers a file or folder, by its absolute path, to be deleted with the run. */
  adoptPath(path: string): void;
}

/**
 * Starts watching over a run. Call it before anything of the run exists.
 * @param usesEngine false: the run has no containers and no networks
 * @throws UserError when the run's record cannot be written
 */
export async function startWatchdog(runId: string, usesEngine = true): Promise<Watchdog> {
  const record = RunResources.begin(runId, usesEngine);
  // Compiled, this file and its sibling end in .js; as source, in .ts.
  const script = fileURLToPath(new URL(`./watchdog-process${extname(import.meta.url)}`, import.meta.url));
  // A session of its own: signals that the terminal sends to the harness's group do not reach it.
  const child = spawn(process.execPath, [script, runId], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  await once(child, "spawn");
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  // It may have been killed, for instance by the kernel's OOM killer; the next sweep does its work then.
  child.stdin.on("error", () => {});
  const ended = once(child, "exit");
  let disposal: Promise<void> | undefined;
  const dispose = async (): Promise<void> => {
    try {
      await sweepRun(runId, usesEngine);
    } catch (error) {
      // The watchdog process keeps trying to remove the rest.
      child.stdin.destroy();
      throw error;
    }
    child.ref();
    child.stdin.end(ORDERLY_END);
    await ended;
  };
  return {
    adopt: (pid) => record.adoptProcess(pid),
    adoptPath: (path) => record.adoptPath(path),
    [Symbol.asyncDispose]: () => (disposal ??= dispose()),
  };
}
