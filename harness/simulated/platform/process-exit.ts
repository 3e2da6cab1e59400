import os from "node:os";
import type { Host } from "../kernel/host.ts";
import { patch } from "./replace.ts";

/** Signals that a process does not hear, or that do nothing to one that has no listener. */
const IGNORED: ReadonlySet<string> = new Set(["SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH"]);
const UNHEARD: ReadonlySet<string> = new Set(["SIGKILL", "SIGSTOP"]);

/**
 * Patches `process.exit` and `process.abort`, which end the host's process and count as its failure, and `process.kill`:
 * a program can send signals to its own process only, since there is no other one on its machine. The throw stops the code
 * that called.
 */
export function patchProcessExit(): void {
  for (const name of ["exit", "abort"]) {
    patch(process, name, `process.${name}`, (host, [code]) =>
      end(host, `process.${name}`, `process.${name}(${typeof code === "number" ? code : ""})`),
    );
  }
  patch(process, "kill", "process.kill", (host, [pid, signal]) => {
    if (pid !== process.pid) throw noSuchProcess();
    const name = nameOf(signal);
    if (name === undefined || IGNORED.has(name)) return true;
    if (UNHEARD.has(name) || process.listenerCount(name) === 0) {
      return end(host, "process.kill", `process.kill(process.pid, "${name}")`);
    }
    host.post("signal", () => process.emit(name, name));
    return true;
  });
}

function end(host: Host, during: string, call: string): never {
  const error = new Error(`the program called ${call}`);
  host.fail(during, error);
  host.kill();
  throw error;
}

/** The name of a signal, SIGTERM by default; undefined for 0, which only asks whether the process is there. */
function nameOf(signal: unknown = "SIGTERM"): NodeJS.Signals | undefined {
  const names = Object.keys(os.constants.signals) as NodeJS.Signals[];
  return names.find((name) => name === signal || os.constants.signals[name] === signal);
}

function noSuchProcess(): Error {
  return Object.assign(new Error("kill ESRCH"), { code: "ESRCH", errno: -os.constants.errno.ESRCH, syscall: "kill" });
}
